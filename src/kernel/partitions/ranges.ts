import type { Config } from '../../platform/settings/config.ts'
import { type Database, pooled } from '../db/database.ts'
import { hours } from '../jobs/job.ts'
import type { IdRange } from '../jobs/retention.ts'
import { findPartitions } from './catalog.ts'
import { boundAt, isBefore, isPeriod, momentOfBound, nextPeriod, PARTITIONED_TABLES, type Span } from './tables.ts'

/** What is past its time for longer than this was not dropped as a whole: somebody keeps a part of it, and the rest goes row by row. */
const GRACE_MS = hours(24) * 1_000

/**
 * Where old rows of a table are deleted one by one, for teams that have no period of their own: in what was there before the periods and what is beyond them, and in periods that could not
 * be dropped. All other rows go with their period, in a fraction of the time. Where periods are archived, what was there before them waits for that, too; but nothing waits
 * without end. What sandboxes have goes with them.
 */
export const rangesOf =
  (table: string) =>
  async (db: Database, moment: Date, config: Config): Promise<IdRange[]> => {
    const parted = PARTITIONED_TABLES.find(({ name }) => name === table)!
    const stale = boundAt(new Date(moment.getTime() - GRACE_MS))
    const now = boundAt(moment)
    const isArchived = config.RETENTION_ARCHIVE !== 'off'
    // One that was made while a clock was ahead: its end is too far off to be waited for.
    const isLong = ({ from, to }: Span) =>
      to! > boundAt(nextPeriod(parted.unit, momentOfBound(from!))) && (!isArchived || to! > boundAt(db.clock.now()))
    const partitions = await findPartitions(pooled(db), parted)
    return partitions.filter(({ name, from, to }) => {
      const isWhole = isPeriod(parted, name) ? !isLong({ from, to }) : isArchived && isBefore(parted, name)
      return isWhole ? to !== null && to <= stale : from === null || from < now
    })
  }
