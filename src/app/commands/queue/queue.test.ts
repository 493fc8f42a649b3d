import { beforeEach, expect, test } from 'vitest'
import type { App, Client } from '../../../../test/harness/app.ts'
import { runCommand, runForJson, teamNameOf } from '../../../../test/harness/commands.ts'
import { emptyLedger, readEmail, sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { suspend } from '../../../../test/harness/operators.ts'
import { DEFERRED, scriptedTransport } from '../../../../test/harness/transport.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { queueCancel } from './cancel.ts'
import { queueList } from './list.ts'

interface Shown {
  readonly state: string
  readonly email_id: string
  readonly recipient: string
}

let app: App
let acme: Client

beforeEach(async () => {
  const started = await startAcme({}, { transport: scriptedTransport(() => DEFERRED).transport })
  app = started.app
  acme = started.acme
  await emptyLedger(app)
})

const list = (flags: Record<string, string> = {}) => runForJson(queueList, [], flags)
const statesOf = ({ data }: { data: Shown[] }) => data.map(({ state, recipient }) => `${state} ${recipient}`)

test('nothing waits', async () => {
  expect(await runCommand(queueList)).toBe('Nothing waits.')
  expect(await list()).toEqual({ object: 'list', has_more: false, next: null, summary: [], data: [] })
})

test('mail that was put off is shown with its attempts, the last reply and the next try', async () => {
  const id = await sendEmail(acme, { to: 'ada@slow.dev', subject: 'Your order' })
  await app.deliverDue()

  const [one] = (await list()).data
  const text = await runCommand(queueList)

  const { deliveries } = await readEmail(acme, id)
  expect(one).toMatchObject({
    ...{ state: 'deferred', team_id: acme.team, team: await teamNameOf(app, acme) },
    ...{ email_id: id, recipient: 'ada@slow.dev', subject: 'Your order', attempts: 1, parked_for: null },
    last_reply: { at: expect.any(String), reply: '450 4.2.0 Try later' },
  })
  expect(Date.parse(one.due_at)).toBe(Date.parse(deliveries[0].next_attempt_at))
  expect(text).toMatch(/^STATE +TEAM +RECIPIENTS +EMAILS +DUE FROM +TO$/m)
  expect(text).toMatch(new RegExp(`^deferred .* ${id}  ada@slow.dev  Your order  450 4\\.2\\.0 Try later$`, 'm'))
})

test('each state is told from the others, and can be asked for', async () => {
  const held = await sendEmail(acme, { to: 'held@b.dev' })
  await app.db.query(sql`update deliveries set holder = ${app.db.presence.node} where email_id = ${held}`)
  await sendEmail(acme, { to: 'deferred@a.dev' })
  await app.deliverDue()
  const parked = await sendEmail(acme, { to: 'parked@b.dev' })
  await app.db.query(sql`
    update deliveries set parked_for = 'mx.b.dev', due_at = due_at + interval '10 minutes' where email_id = ${parked}`)
  await sendEmail(acme, { to: 'scheduled@B.dev', scheduled_at: 'in 1 hour' })
  await sendEmail(acme, { to: 'due@a.dev' })
  const globex = await app.as('globex')
  await sendEmail(globex, { to: 'suspended@a.dev' })
  await app.db.query(sql`update deliveries set suspended_at = due_at where team_id = ${globex.team}`)
  await suspend(app, globex)

  const all = [
    ...['due due@a.dev', 'active held@b.dev', 'deferred deferred@a.dev', 'parked parked@b.dev'],
    ...['scheduled scheduled@B.dev', 'suspended suspended@a.dev'],
  ]
  const shown = await list()
  expect(statesOf(shown)).toEqual(all)
  expect(
    shown.summary.map(({ state, recipients }: { state: string; recipients: number }) => [state, recipients]),
  ).toEqual(all.map((line) => [line.split(' ')[0], 1]))
  expect(statesOf(await list({ state: 'deferred,parked' }))).toEqual(all.slice(2, 4))
  expect(statesOf(await list({ domain: 'b.dev' }))).toEqual(all.filter((line) => /@b\.dev$/i.test(line)))
  expect(statesOf(await list({ team: await teamNameOf(app, globex) }))).toEqual(all.slice(-1))
  const byDomain = (await list({ by: 'domain', state: 'scheduled' })).summary
  expect(byDomain).toMatchObject([{ domain: 'b.dev', recipients: 1, emails: 1, is_complete: true }])
  await app.db.query(sql`update deliveries set holder = null`)
})

test('mail of sandboxes is of no interest', async () => {
  const sandbox = await app.sandboxOf(acme)
  await sendEmail(sandbox, { from: `a@${sandbox.domain}` })

  expect((await list()).data).toEqual([])
})

test('pages follow each other, and each recipient is on one of them', async () => {
  await sendEmail(acme, { to: ['a@x.dev', 'b@x.dev', 'c@x.dev'] })
  await sendEmail(acme, { to: ['d@x.dev', 'e@x.dev'], scheduled_at: 'in 1 hour' })
  // As a newsletter does.
  await app.db.query(sql`update deliveries set priority = 1 where recipient in ('b@x.dev', 'd@x.dev')`)

  const seen: string[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const page = await list({ limit: '2', ...(after && { after }) })
    seen.push(...statesOf(page))
    expect(page.has_more).toBe(page.next !== null)
    after = page.next
  }

  expect(seen).toEqual(['due a@x.dev', 'due c@x.dev', 'due b@x.dev', 'scheduled e@x.dev', 'scheduled d@x.dev'])
})

test('of very many the first ones are counted, and the text says so', async () => {
  const id = await sendEmail(acme, { scheduled_at: 'in 1 hour' })
  await app.db.query(sql`
    insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at)
    select team_id, email_id, n, 'r' || n || '@x.dev', due_at, give_up_at
    from deliveries, generate_series(1, 12000) n where email_id = ${id} and position = 0`)

  const text = await runCommand(queueList, [], { limit: '3' })

  expect(text).toContain('at least 10001')
  expect(text).toContain('State scheduled has more than 10000 recipients: only the first 10000 are counted.')
  expect(text.split('\n').filter((line) => line.startsWith('scheduled ') && line.includes(id))).toHaveLength(3)
  expect((await list()).summary[0].is_complete).toBe(false)
})

test('what is canceled is in the audit log of each team, once, however many recipients it was for', async () => {
  const globex = await app.as('globex')
  const id = await sendEmail(acme)
  await sendEmail(globex, { to: ['a@x.dev', 'b@x.dev'] })
  await app.db.query(sql`
    insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at)
    select team_id, email_id, n, 'r' || n || '@x.dev', due_at, give_up_at
    from deliveries, generate_series(1, 2500) n where email_id = ${id} and position = 0`)
  const before = new Date(app.clock.now().getTime() + 3_600_000).toISOString()

  expect(await runCommand(queueCancel, [], { 'due-before': before })).toMatch(/^Canceled mail to 2503 recipients, /)

  const eventsOf = async (client: Client) =>
    (await client.get('/audit-events?action=queue.cancel')).body.data.map(({ actor, details }: never) => [
      actor,
      details,
    ])
  const actor = { type: 'system', id: null, name: 'postwren command' }
  expect(await eventsOf(acme)).toEqual([[actor, { due_before: before, recipients: 2501 }]])
  expect(await eventsOf(globex)).toEqual([[actor, { due_before: before, recipients: 2 }]])
})

test('what a team, a domain or one email waits for can be canceled, after a look at how many that are', async () => {
  const globex = await app.as('globex')
  const id = await sendEmail(acme, { to: 'a@x.dev' })
  await sendEmail(acme, { to: 'b@y.dev' })
  await sendEmail(acme, { from: 'a@other.dev', to: 'c@y.dev' })
  await sendEmail(globex, { to: 'd@y.dev' })
  const waiting = async () =>
    statesOf(await list())
      .map((line) => line.split(' ')[1])
      .sort()
  const team = await teamNameOf(app, acme)

  expect(await runCommand(queueCancel, [], { team, 'dry-run': true })).toMatch(/^Would cancel mail to 3 recipients\.$/m)
  expect(await waiting()).toHaveLength(4)
  expect(await runForJson(queueCancel, [], { from: 'other.dev' })).toMatchObject({ recipients: 1, dry_run: false })
  expect(await waiting()).toEqual(['a@x.dev', 'b@y.dev', 'd@y.dev'])
  expect(await runCommand(queueCancel, [], { email: id })).toBe('Canceled mail to 1 recipient.')
  expect(await runCommand(queueCancel, [], { team, domain: 'y.dev' })).toBe('Canceled mail to 1 recipient.')
  expect(await waiting()).toEqual(['d@y.dev'])
  const { body } = await acme.get('/audit-events?action=queue.cancel')
  expect(body.data.map(({ details }: { details: object }) => details)).toEqual([
    { domain: 'y.dev', recipients: 1 },
    { email: id, recipients: 1 },
    { from: 'other.dev', recipients: 1 },
  ])
})

test.each([
  [
    { state: 'stuck' },
    '--state must be one or more of due,active,deferred,parked,scheduled,suspended,held,approval, not `stuck`.',
  ],
  [{ by: 'moon' }, '--by must be team or domain, not `moon`.'],
  [{ limit: '0' }, '--limit must be a whole number from 1 to 1000, not `0`.'],
  [{ after: 'here' }, '--after must be a cursor printed by `queue list`.'],
])('%j is one line', async (flags, message) => {
  await expect(list(flags)).rejects.toThrow(message)
})
