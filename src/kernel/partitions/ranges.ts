import type { Config } from '../../platform/settings/config.ts'
import { type Database, pooled } from '../db/database.ts'
import { hours } from '../jobs/job.ts'
import type { IdRange } from '../jobs/retention.ts'
import { findPartitions } from './catalog.ts'
import { boundAt, isPeriod, PARTITIONED_TABLES } from './tables.ts'

/** A period that is past its time for longer than this was not dropped as a whole: somebody keeps a part of it, and the rest goes row by row. */
const GRACE_MS = hours(24) * 1_000

/**
 * Where old rows of a table are deleted one by one, for teams that have no period of their own: in what was there before the periods and what is beyond them, and in periods that could not
 * be dropped. All other rows go with their period, in a fraction of the time. What is archived goes with its period only, and what sandboxes have with them.
 */
export const rangesOf =
  (table: string) =>
  async (db: Database, moment: Date, config: Config): Promise<IdRange[]> => {
    if (config.RETENTION_ARCHIVE !== 'off') return []
    const parted = PARTITIONED_TABLES.find(({ name }) => name === table)!
    const stale = boundAt(new Date(moment.getTime() - GRACE_MS))
    const now = boundAt(moment)
    const partitions = await findPartitions(pooled(db), parted)
    return partitions.filter(({ name, from, to }) =>
      isPeriod(parted, name) ? to !== null && to <= stale : from === null || from < now,
    )
  }
