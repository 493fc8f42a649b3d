import { expect, onTestFinished, test } from 'vitest'
import { Connector } from '../../src/kernel/db/connector.ts'
import { Database } from '../../src/kernel/db/database.ts'
import { LIMITS } from '../../src/kernel/db/limits.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { lostStandby } from '../harness/lost-standby.ts'
import { type PostgresServer, startPostgresServer, startPromotedCopy } from '../harness/postgres-server.ts'
import { eventually } from '../harness/service.ts'

const portOf = ({ url }: PostgresServer) => Number(new URL(url).port)

/** Two servers that take themselves for the primary; the first one is a former one, and the URL names it first. */
async function startTwo() {
  const former = await startPostgresServer()
  await migrate({ connectionString: former.url }, systemClock)
  await former.kill()
  const promoted = await startPromotedCopy(former)
  await former.start()
  const connectionString = former.url.replace('/mail', `,${new URL(promoted.url).host}/mail`)
  return { former, promoted, connectionString }
}

test('a server that was the primary is not used again once its successor is known', async () => {
  const { former, promoted, connectionString } = await startTwo()
  const connector = new Connector({ connectionString }, LIMITS)
  const connect = async () => {
    const session = await connector.connect()
    onTestFinished(() => session.client.end())
    return { session, port: session.client.port }
  }

  const first = await connect()
  connector.lookElsewhere()
  const second = await connect()
  connector.lookElsewhere()
  const third = await connect()

  expect([first.port, second.port, third.port]).toEqual([portOf(former), portOf(promoted), portOf(promoted)])
  expect([first, second].map(({ session }) => connector.isFormer(session))).toEqual([true, false])
})

test('a node leaves a former primary, whose commits wait for a standby that it has lost', async () => {
  const { former, promoted, connectionString } = await startTwo()
  const standby = await lostStandby(former)
  const db = Database.connect({ connectionString }, { clock: systemClock })
  onTestFinished(() => db.close(100))
  const port = async () => (await db.query<{ port: number }>(sql`select inet_server_port() as port`))[0]!.port
  await db.presence.start()
  expect(await port()).toBe(portOf(former))

  await standby.lose()
  const writing =
    db.query(sql.write`insert into nodes (id, pid, channel, works, watches, secret_keys, reads, started_at)
    values (1, 1, '', '{}', '{}', '{}', '{compact_rows}', ${new Date()})`)

  await expect(writing).rejects.toThrow('has not answered')
  await eventually(async () => (await port()) === portOf(promoted))
  await eventually(() => db.presence.holdsLease())
})
