import pg from 'pg'
import { onTestFinished } from 'vitest'
import { freshDatabase } from './database.ts'

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ ...(await freshDatabase()), application_name: 'test' })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/**
 * Connections of the test's own to the database of its app: one to stand in the way of the app's statements, another to look
 * who waits (within a transaction one sees the same picture for ever) and to cut connections. Gone when the test ends.
 */
export async function openBackend() {
  const [holder, watcher] = [await connect(), await connect()]

  const waiting = async (): Promise<number[]> => {
    const { rows } = await watcher.query<{ pid: number }>(`
      select pid from pg_stat_activity
      where datname = current_database() and application_name = 'postwren' and wait_event_type = 'Lock'`)
    return rows.map(({ pid }) => pid)
  }

  return {
    /** Takes locks with this statement, and keeps them until `release`. */
    async hold(statement: string, values: unknown[] = []) {
      await holder.query('begin')
      await holder.query(statement, values)
    },
    /** Wants more while it holds what it has, and is patient: if nobody can go on, it is the others who give in. */
    async wantToo(statement: string, values: unknown[] = []) {
      await holder.query("set local deadlock_timeout = '1h'")
      await holder.query(statement, values)
    },
    release: () => holder.query('rollback'),
    /** Lets go as well, and what it has changed stays. */
    commit: () => holder.query('commit'),
    /** Resolves with the connections of the app that wait for a lock, once there are so many. */
    async waiters(count = 1): Promise<number[]> {
      for (;;) {
        const pids = await waiting()
        if (pids.length >= count) return pids
      }
    },
    async terminate(pids: readonly number[]) {
      for (const pid of pids) await watcher.query('select pg_terminate_backend($1)', [pid])
    },
    /** Cuts every connection that apps have to this database. */
    terminateAll: () =>
      watcher.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'postwren'`),
  }
}
