import { beforeEach, expect, test } from 'vitest'
import type { App, Client } from '../../../../test/harness/app.ts'
import { runCommand, runForJson, teamNameOf } from '../../../../test/harness/commands.ts'
import { emptyLedger, sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { DEFERRED, scriptedTransport } from '../../../../test/harness/transport.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { queueSummary } from './summary.ts'

let app: App
let acme: Client

beforeEach(async () => {
  const started = await startAcme({}, { transport: scriptedTransport(() => DEFERRED).transport })
  app = started.app
  acme = started.acme
  await emptyLedger(app)
  for (const table of [sql`delivery_pauses`, sql`destination_pauses`, sql`pace_controllers`, sql`destination_stops`])
    await app.db.query(sql`delete from ${table}`)
})

const summary = async (flags: Record<string, string> = {}) => await runForJson(queueSummary, [], flags)

/** Two for gmail, of which one was tried; one for another site that waits for room; one that nobody has looked at. */
async function sendSome() {
  await sendEmail(acme, { to: 'tried@a.dev' })
  await app.deliverDue()
  await sendEmail(acme, { to: 'next@b.dev', from: 'hello@acme.dev' })
  await sendEmail(acme, { to: 'parked@c.dev' })
  await app.db.query(sql`update deliveries set destination = 'gmail' where recipient in ('tried@a.dev', 'next@b.dev')`)
  await app.db.query(sql`
    update deliveries set parked_for = 'mx.c.dev', claims = 1, due_at = now() + interval '1 hour' where recipient = 'parked@c.dev'`)
  await sendEmail(acme, { to: 'new@d.dev' })
  await sendEmail(acme, { to: 'later@d.dev', scheduled_at: 'in 1 hour' })
}

const pauseGmail = () =>
  app.db.query(sql`
    insert into delivery_pauses (destination, kind, identity, refusals, paused_until, reply, refused_at)
    values ('gmail', 'dkim_domain', 'acme.dev', 1, now() + interval '1 hour', '421 4.7.28 Too much', now())`)

const slowGmail = (kind = 'source', identity = 'default') =>
  app.db.query(sql`
    insert into pace_controllers (destination, kind, identity, rate, limit_rate, confirmations, connections, complaints, taken, deferred,
      reply, class, cut_at, rest_until, round_at, noted_rate, changed_at)
    values ('gmail', ${kind}, ${identity}, 0.5, 1, 0, 2, 1, 0, 0, '421 4.7.0 Slow down', null, now(), now(), now(), 0.5, now())`)

test('nothing waits', async () => {
  expect(await runCommand(queueSummary)).toBe('Nothing waits.')
  expect(await summary()).toEqual({ object: 'queue', by: 'destination', is_complete: true, capped: [], data: [] })
})

test('by destination: what waits, the last reply, pauses and the rate', async () => {
  await sendSome()
  await pauseGmail()
  await slowGmail()

  const { data } = await summary()
  const text = await runCommand(queueSummary)

  const of = (name: string | null) => data.find((one: { name: string | null }) => one.name === name)
  expect(of('gmail')).toMatchObject({
    ...{ waiting: 1, in_flight: 0, deferred: 1, held: 0 },
    oldest_at: expect.any(String),
    last_reply: { reply: '450 4.2.0 Try later' },
    pauses: [{ kind: 'dkim_domain', identity: 'acme.dev', reply: '421 4.7.28 Too much' }],
    controllers: [{ kind: 'source', rate: 0.5, reply: '421 4.7.0 Slow down' }],
  })
  expect(of('mx.c.dev')).toMatchObject({ waiting: 1, deferred: 0, pauses: [] })
  expect(of(null)).toMatchObject({ waiting: 1, scheduled: 1 })
  expect(text).toMatch(/^gmail +1 +0 +1 +0 +0 +\d+ \S+ +30\/min$/m)
  expect(text).toMatch(/^ +paused until \S+Z: gmail refuses the DKIM domain acme\.dev: 421 4\.7\.28 Too much$/m)
  expect(text).toMatch(/^ +last reply, \S+Z: 450 4\.2\.0 Try later$/m)
})

test('that only some senders are slowed down is said beside the rate of all', async () => {
  await sendSome()
  await slowGmail('spf_domain', 'send.acme.dev')

  const text = await runCommand(queueSummary)

  expect(text).toMatch(/^gmail +1 +0 +1 +0 +0 +\d+ \S+$/m)
  expect(text).toMatch(/^ +slowed to 30\/min for the SPF domain send\.acme\.dev: 421 4\.7\.0 Slow down$/m)
})

test('a destination that is stopped says since when, why, and when it is tried again', async () => {
  await sendSome()
  await app.db.query(sql`
    insert into destination_stops (destination, cause, stopped_at, stopped_until, failures, host, reply, domain)
    values ('mx.c.dev', 'unreachable', now(), now() + interval '5 min', 2, 'mx.c.dev', '421 4.3.2 Closing', 'c.dev')`)

  const of = async (by: string, name: string) =>
    (await summary({ by })).data.find((one: { name: string | null }) => one.name === name)

  const stop = {
    object: 'stop',
    destination: 'mx.c.dev',
    cause: 'unreachable',
    failures: 2,
    reply: '421 4.3.2 Closing',
  }
  expect(await of('destination', 'mx.c.dev')).toMatchObject({ waiting: 1, stop })
  expect(await of('domain', 'c.dev')).toMatchObject({ waiting: 1, stop })
  expect(await of('destination', 'gmail')).toMatchObject({ stop: null })
  expect(await runCommand(queueSummary)).toMatch(
    /^ +stopped since \S+Z: it cannot be reached; tried again at \S+Z: 421 4\.3\.2 Closing$/m,
  )
})

test.each([
  ['provider', ['gmail', null], 2],
  ['domain', ['a.dev', 'b.dev', 'c.dev', 'd.dev'], 4],
  ['identity', ['acme.dev'], 1],
  ['route', ['relay', null], 2],
])('by %s', async (by, names, count) => {
  await sendSome()
  await app.db.query(sql`update deliveries set route = 'relay' where recipient = 'next@b.dev'`)
  await pauseGmail()

  const { data } = await summary({ by })

  expect(data.map(({ name }: { name: string | null }) => name).sort()).toEqual([...names].sort())
  expect(data).toHaveLength(count)
  const paused = data.filter(({ pauses }: { pauses: unknown[] }) => pauses.length > 0)
  const expected = by === 'provider' ? ['gmail'] : by === 'identity' ? ['acme.dev'] : []
  expect(paused.map(({ name }: { name: string }) => name)).toEqual(expected)
})

test('by team, and of some mail only', async () => {
  const globex = await app.as('globex')
  await sendSome()
  await sendEmail(globex, { to: 'g@d.dev' })

  const { data } = await summary({ by: 'team' })
  const ofDomain = await summary({ by: 'team', domain: 'd.dev', state: 'due' })

  expect(data.map(({ label }: { label: string }) => label)).toEqual([
    await teamNameOf(app, acme),
    await teamNameOf(app, globex),
  ])
  expect(ofDomain.data).toMatchObject([{ waiting: 1 }, { waiting: 1 }])
})

test('a destination with more than is counted does not hide the others', async () => {
  const id = await sendEmail(acme, { to: 'r0@big.dev' })
  await app.db.query(sql`
    insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at, parked_for, claims)
    select team_id, email_id, n, 'r' || n || '@big.dev', due_at + interval '1 hour', give_up_at,
      case when n <= 11000 then 'mx.big.dev' else 'mx.small.dev' end, 1
    from deliveries, generate_series(1, 11003) n where email_id = ${id} and position = 0`)

  const { data, is_complete, capped } = await summary()

  const counts = Object.fromEntries(data.map((one: { name: string; waiting: number }) => [one.name, one.waiting]))
  expect(counts).toEqual({ 'mx.big.dev': 10_000, 'mx.small.dev': 3, null: 1 })
  expect([is_complete, capped]).toEqual([false, ['parked']])
})

test('what cannot be is one line', async () => {
  await expect(runCommand(queueSummary, [], { by: 'moon' })).rejects.toThrow(
    '--by must be one of destination, provider, domain, team, identity, route, not `moon`.',
  )
})
