import { beforeEach, expect, test } from 'vitest'
import type { App, Client } from '../../../../test/harness/app.ts'
import { runCommand, runForJson, teamNameOf } from '../../../../test/harness/commands.ts'
import { emptyLedger, readEmail, sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { DEFERRED, DELIVERED, type ScriptedTransport, scriptedTransport } from '../../../../test/harness/transport.ts'
import { cancelWaiting } from '../../../features/emails/delivery/queue/queue.ts'
import { bounceWaiting } from '../../../features/emails/delivery/queue/queue-bounce.ts'
import { moveWaiting, retryDeferred } from '../../../features/emails/delivery/queue/queue-retry.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { queueBounce } from './bounce.ts'
import { queueCancel } from './cancel.ts'
import { queueMove } from './move.ts'
import { queueRetry } from './retry.ts'

let app: App
let acme: Client
let outside: ScriptedTransport

beforeEach(async () => {
  outside = scriptedTransport(() => DEFERRED)
  const started = await startAcme({}, { transport: outside.transport })
  app = started.app
  acme = started.acme
  await emptyLedger(app)
})

const RELAY = { POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://127.0.0.1:2' }
const record = async () => {}

const auditOf = async (client: Client, action: string) =>
  (await client.get(`/audit-events?action=${action}`)).body.data.map(({ details }: { details: object }) => details)

const waiting = async () =>
  (
    await app.db.query<{ recipient: string }>(sql`select recipient from deliveries where state = 'waiting' order by 1`)
  ).map(({ recipient }) => recipient)

/** As if nobody had to be asked where its mail goes. */
const goesTo = (recipient: string, destination: string) =>
  app.db.query(sql`update deliveries set destination = ${destination} where recipient = ${recipient}`)

/** A thousand recipients and more, of one email. */
async function sendToMany(count: number): Promise<string> {
  const id = await sendEmail(acme, { to: 'r0@x.dev' })
  await app.db.query(sql`
    insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at)
    select team_id, email_id, n, 'r' || n || '@x.dev', due_at, give_up_at
    from deliveries, generate_series(1, ${count - 1}::int) n where email_id = ${id} and position = 0`)
  return id
}

test.each([
  ['destination', { destination: 'gmail' }, ['a@x.dev', 'b@y.dev']],
  ['provider', { provider: 'gmail' }, ['a@x.dev', 'b@y.dev']],
  ['destination and a domain', { destination: 'gmail', domain: 'y.dev' }, ['b@y.dev']],
  ['site', { destination: 'mx1.z.dev mx2.z.dev' }, ['c@z.dev']],
  ['destination that it is parked for', { destination: 'mx.parked.dev' }, ['d@parked.dev']],
  ['tag', { tag: 'kind:invoice' }, ['b@y.dev', 'c@z.dev']],
  ['name of a tag', { tag: 'kind' }, ['a@x.dev', 'b@y.dev', 'c@z.dev']],
  ['state', { state: 'parked,scheduled' }, ['d@parked.dev', 'later@x.dev']],
])('mail is chosen by its %s', async (_name, flags, expected) => {
  await sendEmail(acme, { to: 'a@x.dev', tags: [{ name: 'kind', value: 'reset' }] })
  await sendEmail(acme, { to: 'b@y.dev', tags: [{ name: 'kind', value: 'invoice' }] })
  await sendEmail(acme, { to: 'c@z.dev', tags: [{ name: 'kind', value: 'invoice' }] })
  await sendEmail(acme, { to: 'd@parked.dev' })
  await sendEmail(acme, { to: 'later@x.dev', scheduled_at: 'in 1 hour' })
  await goesTo('a@x.dev', 'gmail')
  await goesTo('b@y.dev', 'gmail')
  await goesTo('c@z.dev', 'mx1.z.dev mx2.z.dev')
  await app.db.query(sql`
    update deliveries set parked_for = 'mx.parked.dev', due_at = due_at + interval '1 hour' where recipient = 'd@parked.dev'`)
  const all = await waiting()

  const dryRun = await runForJson(queueCancel, [], { ...flags, 'dry-run': true })
  expect(await waiting()).toEqual(all)
  await runCommand(queueCancel, [], flags)

  const chosen = dryRun.examples.map(({ recipient }: { recipient: string }) => recipient).sort()
  expect([chosen, dryRun.recipients]).toEqual([expected, expected.length])
  expect(await waiting()).toEqual(all.filter((recipient) => !expected.includes(recipient)))
})

test('moved mail has another route and is due now, but for what is scheduled; the rules can have it back', async () => {
  const id = await sendEmail(acme, { to: 'a@x.dev' })
  await app.deliverDue()
  await goesTo('a@x.dev', 'gmail')
  await sendEmail(acme, { to: 'later@x.dev', scheduled_at: 'in 1 hour' })
  const rows = () =>
    app.db.query(sql`
      select recipient, route, destination, due_at <= now() as "isDue" from deliveries where state = 'waiting' order by recipient`)

  const text = await runCommand(queueMove, [], { route: 'relay', domain: 'x.dev', reason: 'Gmail defers us.' }, RELAY)

  expect(text).toBe('Moved mail to 2 recipients.')
  expect(await rows()).toEqual([
    { recipient: 'a@x.dev', route: 'relay', destination: null, isDue: true },
    { recipient: 'later@x.dev', route: 'relay', destination: null, isDue: false },
  ])
  expect(await auditOf(acme, 'queue.move')).toEqual([
    { domain: 'x.dev', route: 'relay', reason: 'Gmail defers us.', recipients: 2 },
  ])
  await runCommand(queueMove, [], { route: 'none', email: id }, RELAY)
  expect(await rows()).toMatchObject([{ route: null }, { route: 'relay' }])
})

test('a bounce by the operator is one for the team: status, event and reason, and nobody is suppressed', async () => {
  const to = 'ada@gone.dev'
  const id = await sendEmail(acme, { to: [to, 'bob@other.dev'] })
  await app.deliverDue()

  const text = await runCommand(queueBounce, [], { domain: 'gone.dev', reason: 'The domain has moved.' })

  const email = await readEmail(acme, id)
  expect(text).toBe('Bounced mail to 1 recipient.')
  expect(email.states).toEqual({ [to]: 'bounced', 'bob@other.dev': 'waiting' })
  expect(email.last_event).toBe('bounced')
  expect(email.timeline).toEqual(['sent', 'delivery_delayed', 'bounced'])
  expect(email.events.at(-1).data).toMatchObject({
    to: [to],
    bounce: { message: '550 5.7.0 Given up by the operator: The domain has moved.', type: 'Undetermined' },
  })
  expect(email.deliveries[0].replies.at(-1).reply).toContain('The domain has moved.')
  expect((await acme.get('/suppressions')).body.data).toEqual([])
  expect(await auditOf(acme, 'queue.bounce')).toEqual([
    { domain: 'gone.dev', reason: 'The domain has moved.', recipients: 1 },
  ])
})

test('what a process is sending is left alone, and counted; what a dead process held is not', async () => {
  await sendEmail(acme, { to: 'held@x.dev' })
  await sendEmail(acme, { to: 'orphaned@x.dev' })
  await sendEmail(acme, { to: 'free@x.dev' })
  const hold = (recipient: string, node: number) =>
    app.db.query(sql`update deliveries set holder = ${node}, claims = 1 where recipient = ${recipient}`)
  await hold('held@x.dev', app.db.presence.node)
  await hold('orphaned@x.dev', 2_000_000_000)

  const dryRun = await runForJson(queueCancel, [], { domain: 'x.dev', 'dry-run': true })
  const text = await runCommand(queueCancel, [], { domain: 'x.dev' })

  expect([dryRun.recipients, dryRun.in_flight]).toEqual([2, 1])
  expect(text).toBe(
    'Canceled mail to 2 recipients.\nLeft alone, since it is being sent at this moment: 1. Run it again for these.',
  )
  expect(await waiting()).toEqual(['held@x.dev'])
  await app.db.query(sql`update deliveries set holder = null where state = 'waiting'`)
})

test('operators at once, beside a worker: each recipient is sent once, canceled once or bounced once', async () => {
  outside.answer(() => DELIVERED)
  await sendToMany(6_000)
  const change = { filter: { domain: 'x.dev' }, record }

  const [canceled, bounced, canceledToo] = await Promise.all([
    cancelWaiting(app.db, change),
    bounceWaiting(app.db, { ...change, reason: 'Enough.' }),
    cancelWaiting(app.db, change),
    app.deliverDue(),
  ])
  await app.deliverDue()

  const counts = await app.db.query<{ state: string; count: number }>(sql`
    select state, count(*)::int as count from deliveries group by 1 order by 1`)
  const of = (state: string) => counts.find((one) => one.state === state)?.count ?? 0
  expect(of('canceled')).toBe(canceled.recipients + canceledToo.recipients)
  expect(of('bounced')).toBe(bounced.recipients)
  expect(of('delivered')).toBe(outside.sent.length)
  expect(new Set(outside.sent.map(({ recipient }) => recipient)).size).toBe(outside.sent.length)
  expect(of('canceled') + of('bounced') + of('delivered')).toBe(6_000)
})

test('whoever stops it has done it to some, as the audit log says, and can go on', async () => {
  await sendToMany(5_000)
  const stop = new AbortController()
  const seen: number[] = []
  const onProgress = (progress: { seen: number }) => {
    seen.push(progress.seen)
    stop.abort()
  }
  const change = { filter: { domain: 'x.dev' }, record }

  const first = await cancelWaiting(app.db, { ...change, onProgress, signal: stop.signal })
  const rest = await cancelWaiting(app.db, change)

  expect(first).toEqual({ recipients: 2_000, inFlight: 0, isStopped: true })
  expect(seen).toEqual([2_000])
  expect(rest).toEqual({ recipients: 3_000, inFlight: 0, isStopped: false })
})

test('what could not be written down was not done', async () => {
  await sendToMany(10)
  const fails = async () => {
    throw new Error('no audit log')
  }
  const change = { filter: { domain: 'x.dev' }, record: fails }

  await expect(cancelWaiting(app.db, change)).rejects.toThrow('no audit log')
  await expect(bounceWaiting(app.db, { ...change, reason: 'Enough.' })).rejects.toThrow('no audit log')
  await expect(moveWaiting(app.db, { ...change, route: 'relay' })).rejects.toThrow('no audit log')
  await app.deliverDue()
  await expect(retryDeferred(app.db, change)).rejects.toThrow('no audit log')

  expect(await app.db.query(sql`select from deliveries where route is not null or state <> 'waiting'`)).toEqual([])
})

test('mail of other teams and of sandboxes stays where it is', async () => {
  const globex = await app.as('globex')
  const sandbox = await app.sandboxOf(acme)
  await sendEmail(acme, { to: 'a@x.dev' })
  await sendEmail(globex, { to: 'g@x.dev' })
  await sendEmail(sandbox, { from: `a@${sandbox.domain}`, to: 's@x.dev' })

  await runCommand(queueBounce, [], { team: await teamNameOf(app, acme), reason: 'Enough.' })
  expect(await waiting()).toEqual(['g@x.dev', 's@x.dev'])
  await runCommand(queueCancel, [], { all: true })
  expect(await waiting()).toEqual(['s@x.dev'])
})

test.each([
  [
    queueCancel,
    {},
    'Say which mail: a filter, or --all. Example: postwren queue cancel --domain example.com --dry-run',
  ],
  [queueCancel, { all: true, domain: 'x.dev' }, '--all goes with no other filter.'],
  [queueBounce, { domain: 'x.dev' }, /^Missing --reason; the team sees it/],
  [queueMove, { domain: 'x.dev' }, 'Missing --route. Routes: relay, none.'],
  [queueMove, { domain: 'x.dev', route: 'moon' }, 'There is no route `moon`. Routes: relay, none.'],
  [queueRetry, { provider: 'gmail', destination: 'gmail' }, /^Use --provider or --destination, not both/],
  [queueRetry, { tag: '' }, '--tag must be a name, or name:value, not ``.'],
])('%# is one line', async (command, flags, message) => {
  await expect(runCommand(command, [], flags as Record<string, string>, RELAY)).rejects.toThrow(message)
})
