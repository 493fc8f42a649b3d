import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Database } from '../../src/kernel/db/database.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { startDnsServer } from '../harness/dns-server.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { freePort } from '../harness/postgres-server.ts'
import { POSTWREN, Program, postwren } from '../harness/program.ts'
import { startReceiver } from '../harness/receiver.ts'
import { relaying } from '../harness/relaying.ts'
import { startSending } from '../harness/sending.ts'
import { call, dataFolder, eventually, Service, temporaryFolder } from '../harness/service.ts'
import { databaseOf } from '../harness/service-database.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

vi.setConfig({ testTimeout: 240_000 })

const READERS = 150

/** Two cells with a database each, whose mail goes through one relay. */
async function startCells() {
  const [dns, relay] = [await startDnsServer(), await startMailServer()]
  const ports = { eu1: await freePort(), us1: await freePort() }
  const cells = Object.entries(ports).map(([cell, port]) => `${cell}=http://127.0.0.1:${port}`)
  const start = async (cell: 'eu1' | 'us1') => {
    const dataDir = dataFolder()
    const settings = {
      ...relaying(relay, dns),
      ...{ POSTWREN_RATE_LIMIT: '0', POSTWREN_PRIVATE_ADDRESSES: 'allow' },
      ...{ POSTWREN_CELL: cell, POSTWREN_CELLS: cells.join(','), POSTWREN_PORT: String(ports[cell]) },
      POSTWREN_PUBLIC_URL: `http://127.0.0.1:${ports[cell]}`,
    }
    return {
      service: await Service.start({ dataDir, settings }),
      settings: { ...settings, POSTWREN_DATA_DIR: dataDir },
    }
  }
  const [eu1, us1] = [await start('eu1'), await start('us1')]
  const file = join(temporaryFolder(), 'us1.env')
  writeFileSync(
    file,
    Object.entries(us1.settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  return { dns, relay, eu1: eu1.service, us1: us1.service, environment: eu1.settings, file }
}

const phaseOf = async (db: Database) =>
  (await db.query<{ phase: string }>(sql`select phase from team_moves where direction = 'out'`))[0]?.phase

test('a team moves while it sends, and kill -9 in every phase: each email is delivered once, and all is in the other cell', async () => {
  const { dns, relay, eu1, us1, environment, file } = await startCells()
  const receiver = await startReceiver()
  const [here, there] = [await databaseOf(eu1), await databaseOf(us1)]
  await here.query(sql`update teams set name = 'Acme' where name = 'default'`)
  const { token } = eu1
  await verifiedDomain(eu1, dns, 'acme.dev')
  await eu1.call('POST', '/webhooks', { endpoint: receiver.url, events: ['email.delivered'] })
  const { body: segment } = await eu1.call('POST', '/segments', { name: 'Readers' })
  for (let number = 0; number < READERS; number++)
    await eu1.call('POST', '/contacts', { email: `reader${number}@sink.dev`, segments: [{ id: segment.id }] })
  const later = new Date(Date.now() + 20_000).toISOString()
  const email = { from: 'a@acme.dev', subject: 'Hello', html: '<a href="https://acme.dev/">Hi</a>' }
  const attached = { attachments: [{ filename: 'a.txt', content: Buffer.alloc(300_000, 'x').toString('base64') }] }
  await eu1.call('POST', '/emails', { ...email, ...attached, to: 'later@sink.dev', scheduled_at: later })
  const far = await eu1.call('POST', '/emails', { ...email, to: 'far@sink.dev', scheduled_at: 'in 1 day' })

  let url = eu1.url
  const sending = startSending(() => ({ url, token }) as never)
  onTestFinished(() => sending.stop())
  await sending.accept(50)
  await eu1.call('POST', '/broadcasts', { ...email, name: 'News', segment_id: segment.id, send: true })
  const words = ['cell', 'move', 'Acme', '--to-settings', file]
  for (const phase of ['copying', 'held', 'moved']) {
    const program = new Program([...POSTWREN, ...words], { environment })
    await eventually(async () => program.hasEnded || (await phaseOf(here)) === phase)
    await program.kill()
    if (phase === 'copying') await sending.accept(20)
  }
  const moved = await postwren([...words, '--json'], { environment })
  expect([moved.code, moved.complaints]).toEqual([0, []])
  expect(JSON.parse(moved.stdout)).toMatchObject({ state: 'moved', cell: 'us1', key_prefixes: [token.slice(0, 15)] })
  expect(await call({ url: us1.url, token }, 'GET', '/segments')).toMatchObject({ status: 200 })
  const refused = await call({ url: eu1.url, token }, 'GET', '/contacts')
  url = us1.url
  await sending.accept(50)
  await sending.stop()

  expect(refused).toMatchObject({ status: 421, body: { name: 'wrong_cell' } })
  expect(refused.body.message).toContain(`lives in the cell us1: ${us1.url}`)
  expect(token).toMatch(/^re_eu1_/)

  const wanted = [
    ...sending.accepted,
    'later@sink.dev',
    ...Array.from({ length: READERS }, (_, n) => `reader${n}@sink.dev`),
  ]
  const arrivals = () => relay.messages.flatMap(({ to }) => to)
  await relay.until(() => wanted.every((address) => arrivals().includes(address)))
  const counts = new Map<string, number>()
  for (const address of arrivals()) counts.set(address, (counts.get(address) ?? 0) + 1)
  expect([...counts].filter(([, count]) => count !== 1)).toEqual([])
  expect(arrivals()).not.toContain('far@sink.dev')
  await eventually(async () => {
    const delivered = new Set(receiver.received.map(({ event }) => event.data.to[0]))
    return wanted.every((address) => delivered.has(address))
  })
  expect((await call({ url: us1.url, token }, 'GET', `/emails/${far.body.id}`)).body.last_event).toBe('scheduled')
  const left = await here.query(sql`
    select (select count(*) from emails)::int as emails, (select count(*) from contacts)::int as contacts,
      (select count(*) from deliveries)::int as deliveries, (select count(*) from teams where name = 'Acme')::int as teams,
      (select count(*) from team_moves where phase = 'moved' and cleaned_at is not null)::int as pointers`)
  expect(left).toEqual([{ emails: 0, contacts: 0, deliveries: 0, teams: 0, pointers: 1 }])
  const [held] = await there.query<{ emails: number; contacts: number }>(sql`
    select (select count(*) from emails)::int as emails, (select count(*) from contacts)::int as contacts`)
  expect(held).toEqual({ emails: wanted.length + 1, contacts: READERS })

  // A link in mail that has left leads to the cell that has the team.
  const unfolded = relay.messages.map(({ bytes }) => bytes.toString().replaceAll(/\r\n[ \t]/g, ' '))
  const [, unsubscribe] = unfolded.map((text) => /<(http[^>]+\/unsubscribe\/eu1~[^>]+)>/.exec(text)).find(Boolean)!
  const followed = await fetch(unsubscribe!)
  expect([followed.status, followed.url]).toEqual([200, unsubscribe!.replace(eu1.url, us1.url)])
})
