import { readdirSync, readFileSync } from 'node:fs'
import { sql } from '../../src/kernel/db/sql.ts'
import { cpuOfEndedMicroseconds, descendantPids } from '../processes.ts'
import type { Contender } from './contender.ts'

/** What a round has used so far, of all that can be counted from outside. */
export interface Usage {
  /** CPU in milliseconds. */
  readonly service: number
  readonly postgres: number
  readonly walBytes: number
  readonly transactionIds: number
  /** Pages of the database that statements looked at. PostgreSQL counts them with a delay, so only many rounds tell. */
  readonly buffers: number
}

export async function usageOf({
  service,
  peers,
  database,
}: Pick<Contender, 'service' | 'peers' | 'database'>): Promise<Usage> {
  const [row] = await database.db.query<{ walBytes: number; transactionIds: number; buffers: number }>(sql`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes",
      pg_snapshot_xmax(pg_current_snapshot())::text::float8 as "transactionIds",
      (select (blks_hit + blks_read)::float8 from pg_stat_database where datname = current_database()) as buffers`)
  const ofPostgres = descendantPids(database.pid)
  // With all processes that it has started: `POSTWREN_PROCESSES`.
  const ofService = [service, ...peers]
    .flatMap(({ pid }) => descendantPids(pid))
    .filter((pid) => !ofPostgres.includes(pid))
  return {
    service: cpuOf(ofService),
    postgres: cpuOf(ofPostgres),
    ...row!,
  }
}

/** Of these processes so far, in milliseconds. */
export const cpuOf = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + cpuMilliseconds(pid), 0)

/**
 * By the scheduler's own count, in nanoseconds, of all threads: the ticks of `stat` are too coarse for rounds of a second. What it has started and what has
 * ended, as an idle connection's process does, is counted in them all the same, or it would be taken off again.
 */
function cpuMilliseconds(pid: number): number {
  let nanoseconds = cpuOfEndedMicroseconds(pid) * 1e3
  for (const thread of threadsOf(pid)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // It has ended meanwhile.
    }
  }
  return nanoseconds / 1e6
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}
