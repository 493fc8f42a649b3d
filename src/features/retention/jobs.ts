import { hasDuckDb, ParquetWriter } from '../../adapters/parquet/parquet.ts'
import { hours, minutes } from '../../kernel/jobs/job.ts'
import { ARCHIVING_JOB, archivePartition } from '../../kernel/partitions/archive.ts'
import { dropPartitionsBefore } from '../../kernel/partitions/drop.ts'
import { type Period, periodsBefore, teamsIn } from '../../kernel/partitions/periods.ts'
import type { Cut } from '../../kernel/partitions/tables.ts'
import { deleteDocuments, indexOlder } from '../../kernel/search/catch-up.ts'
import { job } from '../definitions.ts'
import { removeNames } from '../messages/index.ts'
import { isErasing } from '../personal-data/reads.ts'
import type { Services } from '../services.ts'
import { cutoffOf } from './cutoffs.ts'

const DOCUMENTS = 5_000

type Running = Services & { readonly signal: AbortSignal }

/**
 * Drops periods that are past their time for all teams: no row of them is deleted, and the disk has its room back. What names their rows from other tables goes first.
 * Whoever is cut off begins with the same period again. With an archive each partition is written down before it is detached, or it stays.
 */
export const dropOldPeriods = job({
  name: ARCHIVING_JOB,
  everySeconds: hours(1),
  retryAfterSeconds: [minutes(1), minutes(10)],
  async run(_payload, services) {
    const { db, config, log } = services
    if (config.RETENTION_ARCHIVE === 'parquet' && !(await hasDuckDb()))
      return log.error(
        {},
        'retention: @duckdb/node-api is not installed: nothing is archived, and no period is dropped',
      )
    // Rows that were read before would be archived behind its back.
    if (config.RETENTION_ARCHIVE === 'parquet' && (await isErasing(db)))
      return log.info({}, 'retention: a person is being erased: old periods are archived later')
    const emails = await cutoffOf(db, config, 'emails')
    // Contents never outlive their emails.
    await drop(services, 'bodies', later(emails, await cutoffOf(db, config, 'bodies')))
    await drop(services, 'emails', emails)
    for (const cut of ['received', 'events', 'logs'] as const)
      await drop(services, cut, await cutoffOf(db, config, cut))
  },
})

const later = (one: string | null, other: string | null) =>
  one === null || other === null ? (one ?? other) : one > other ? one : other

async function drop(services: Running, cut: Cut, id: string | null) {
  if (id === null) return
  const { db, config, log, signal } = services
  for (const period of await periodsBefore(db, cut, id)) await removeNamesOf(services, cut, period)
  let writer: ParquetWriter | undefined
  const dropped = await dropPartitionsBefore(db, cut, {
    id,
    async before(table, partition) {
      signal.throwIfAborted()
      if (config.RETENTION_ARCHIVE === 'off') return
      writer ??= new ParquetWriter()
      const { rows, files } = await archivePartition({ ...services, writer }, table, { partition, signal })
      log.info({ partition, rows, files: files.length }, 'retention: partition archived')
    },
  }).finally(() => writer?.close())
  // They are found by what is left of them.
  if (cut === 'bodies') await indexOlder(db, 'message', id)
  if (dropped > 0) log.info({ cut, partitions: dropped }, 'retention: old periods dropped')
}

/** What other tables say about the rows of a period. Events are named by nobody who outlives them. */
async function removeNamesOf({ db, signal }: Running, cut: Cut, period: Period) {
  if (cut === 'events') return
  for await (const teams of teamsIn(db, period.name))
    for (const team of teams) {
      signal.throwIfAborted()
      if (cut === 'logs' || cut === 'bodies') {
        const kinds = cut === 'logs' ? (['log'] as const) : (['message'] as const)
        while (await deleteDocuments(db, { team, kinds, range: period, limit: DOCUMENTS })) signal.throwIfAborted()
      } else await removeNames(db, team, { period, direction: cut === 'emails' ? 'sent' : 'received', signal })
    }
}
