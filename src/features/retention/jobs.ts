import { hasDuckDb, ParquetWriter } from '../../adapters/parquet/parquet.ts'
import { pooled } from '../../kernel/db/database.ts'
import { hours, minutes } from '../../kernel/jobs/job.ts'
import { ARCHIVING_JOB, archivePartition } from '../../kernel/partitions/archive.ts'
import { dropPeriods } from '../../kernel/partitions/drop.ts'
import { keptWithout, type Period, periodsBefore, teamsIn } from '../../kernel/partitions/periods.ts'
import { boundAt, type Cut, overlap, type Span } from '../../kernel/partitions/tables.ts'
import { deleteDocuments, indexOlder } from '../../kernel/search/catch-up.ts'
import { job } from '../definitions.ts'
import { removeNames } from '../messages/index.ts'
import { isErasing } from '../personal-data/reads.ts'
import type { Services } from '../services.ts'
import { findExpired } from './cutoffs.ts'

const DOCUMENTS = 5_000

type Running = Services & { readonly signal: AbortSignal }

/**
 * Drops periods that are past their time for all teams: no row of them is deleted, and the disk has its room back. What names their rows from other tables goes first.
 * Whoever is cut off is carried on by the next run. With an archive each partition is written down before it is detached, or it stays.
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
      return log.info({}, 'retention: archiving postponed while a person is being erased')
    const keptEmails = await keptOf(services, 'emails')
    // Contents never outlive their emails.
    const kept = (await keptOf(services, 'bodies')).filter((span) => keptEmails.some((one) => overlap(span, one)))
    await drop(services, 'bodies', kept)
    await drop(services, 'emails', keptEmails)
    for (const cut of ['received', 'events', 'logs'] as const) await drop(services, cut, await keptOf(services, cut))
  },
})

/** The ids of a cut that stay. */
async function keptOf({ db, config, log }: Running, cut: Cut): Promise<Span[]> {
  const { droppable, held } = await findExpired(pooled(db), config, cut)
  for (const { name, team } of held)
    log.info({ period: name, team }, 'retention: a period that is over stays, since a team needs something of it')
  return keptWithout(pooled(db), cut, droppable)
}

/** Also what was left by whoever was cut off: it is found by what stays. */
async function drop(services: Running, cut: Cut, kept: readonly Span[]) {
  const { db, config, log, signal } = services
  const end = boundAt(db.clock.now())
  for (const period of await periodsBefore(pooled(db), cut, end))
    if (!kept.some((span) => overlap(span, period))) await removeNamesOf(services, cut, period)
  let writer: ParquetWriter | undefined
  const dropped = await dropPeriods(db, cut, {
    kept,
    end,
    async before(table, partition) {
      signal.throwIfAborted()
      if (config.RETENTION_ARCHIVE === 'off' || table.isDerived) return
      writer ??= new ParquetWriter()
      const { rows, files } = await archivePartition({ ...services, writer }, table, { partition, signal })
      log.info({ partition, rows, files: files.length }, 'retention: partition archived')
    },
    async detached(last) {
      // They are found by what is left of them.
      if (cut === 'bodies') await indexOlder(db, 'message', last)
    },
    blocked: (error) =>
      log.warn(
        { cut, error, blockers: error.blockers },
        'retention: a period stays until the next run, since a transaction has it open',
      ),
  }).finally(() => writer?.close())
  if (dropped > 0) log.info({ cut, partitions: dropped }, 'retention: old periods dropped')
}

/** What other tables say about the rows of a period. Events are named by nobody who outlives them. */
async function removeNamesOf({ db, signal }: Running, cut: Cut, period: Period) {
  if (cut === 'events') return
  for await (const teams of teamsIn(db, period.name))
    for (const team of teams) {
      signal.throwIfAborted()
      if (cut === 'logs' || cut === 'bodies') {
        const kind = cut === 'logs' ? 'log' : 'message'
        while (await deleteDocuments(db, { team, kind, range: period, limit: DOCUMENTS })) signal.throwIfAborted()
      } else await removeNames(db, team, { period, direction: cut === 'emails' ? 'sent' : 'received', signal })
    }
}
