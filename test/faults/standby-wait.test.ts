import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Database } from '../../src/kernel/db/database.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { lostStandby } from '../harness/lost-standby.ts'
import { startPostgresServer } from '../harness/postgres-server.ts'
import { eventually, Service, temporaryFolder } from '../harness/service.ts'

test('a commit that waits for its standby is not ended when nobody waits for it any more, and nobody sees it', async () => {
  const server = await startPostgresServer()
  const standby = await lostStandby(server)
  const { client } = standby
  await client.query('create table notes (id int)')
  const lines: string[] = []
  const log = { info: (line: string) => void lines.push(line), warn: (line: string) => void lines.push(line) }
  const limits = { quickMs: 500, probeAfterMs: 100 }
  const db = Database.connect({ connectionString: server.url }, { clock: systemClock, limits, log })
  onTestFinished(() => db.close(100))
  const write = (id: number) => db.query(sql.write`insert into notes values (${id})`)
  const written = async () => (await client.query('select id from notes')).rows.map(({ id }) => id)
  await write(1)

  await standby.lose()
  await expect(write(2)).rejects.toThrow('has not answered')
  await eventually(() => lines.some((line) => line.includes('commits wait for a synchronous standby')))
  expect([await standby.waiting('postwren'), await written()]).toEqual([1, [1]])
  await expect(write(3)).rejects.toThrow('Database unavailable')

  await standby.giveUp()
  await eventually(() => !db.health.isAway)
  await write(4)
  expect(await written()).toEqual([1, 2, 4])
})

test('an answer is repeated for its key only when the standby has it', async () => {
  const server = await startPostgresServer()
  const standby = await lostStandby(server)
  const service = await Service.start({
    dataDir: join(temporaryFolder(), 'data'),
    settings: { POSTWREN_DATABASE_URL: server.url },
  })
  const send = async () => {
    const reply = await fetch(`${service.url}/emails`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.token}`,
        'content-type': 'application/json',
        'idempotency-key': 'once',
      },
      body: JSON.stringify({ from: 'a@example.com', to: 'b@example.com', subject: 'Once', text: 'Hello' }),
    })
    return { status: reply.status, body: (await reply.json()) as { id: string } }
  }
  const first = await send()
  expect(first.status).toBe(200)

  await standby.lose()
  expect((await send()).status).toBe(503)

  await standby.giveUp()
  await eventually(async () => (await fetch(`${service.url}/readyz`)).status === 200)
  expect(await send()).toEqual(first)
})
