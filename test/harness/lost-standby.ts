import pg from 'pg'
import { onTestFinished } from 'vitest'
import type { PostgresServer } from './postgres-server.ts'
import { eventually } from './service.ts'

/** A server whose commits wait for a standby, when a test says so, and nobody is that standby. */
export async function lostStandby({ url }: PostgresServer) {
  const [client, prober] = [new pg.Client(url), new pg.Client({ connectionString: url, application_name: 'prober' })]
  for (const one of [client, prober]) {
    one.on('error', () => {})
    await one.connect()
    onTestFinished(() => one.end())
  }
  const require = async (names: string) => {
    await client.query(`alter system set synchronous_standby_names = '${names}'`)
    await client.query('select pg_reload_conf()')
  }
  const waiting = async (name: string) => {
    const { rowCount } = await client.query(
      "select from pg_stat_activity where wait_event = 'SyncRep' and application_name = $1",
      [name],
    )
    return rowCount!
  }
  return {
    client,
    /** How many backends of this name wait for it. */
    waiting,
    /** From here on commits wait: one of the prober's does, since a setting that can be seen may not be in force yet. */
    async lose() {
      await require('lost')
      let isAnswered = true
      await eventually(async () => {
        if (isAnswered) {
          isAnswered = false
          void prober.query("select pg_logical_emit_message(true, 'prober', '')").then(
            () => (isAnswered = true),
            () => {},
          )
        }
        return (await waiting('prober')) === 1
      })
    },
    /** Nobody is waited for. */
    giveUp: () => require(''),
  }
}
