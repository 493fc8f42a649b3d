import { ARCHIVE_WITHOUT_DUCKDB, hasDuckDb } from '../../../adapters/parquet/parquet.ts'
import { installationRetention, retentionInWords } from '../../../platform/settings/retention.ts'
import { type CheckInput, type Finding, fault, fine } from './finding.ts'

/** What is kept how long, and whether it can be archived where that is asked for. */
export async function checkRetention({ config }: CheckInput): Promise<Finding[]> {
  const kept = fine('retention', `Kept: ${retentionInWords(installationRetention(config))} (POSTWREN_RETENTION_…).`)
  if (config.RETENTION_ARCHIVE === 'off') return [kept]
  if (await hasDuckDb()) return [kept, fine('archive', 'Old periods are archived as Parquet files.')]
  return [kept, fault('archive', ARCHIVE_WITHOUT_DUCKDB)]
}
