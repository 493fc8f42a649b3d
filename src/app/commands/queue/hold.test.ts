import { beforeEach, expect, test } from 'vitest'
import type { App, Client } from '../../../../test/harness/app.ts'
import { broadcastTo, copiesOf, makeManyContacts } from '../../../../test/harness/broadcasts.ts'
import { runCommand, runForJson, teamNameOf } from '../../../../test/harness/commands.ts'
import { emptyLedger, readEmail, sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { suspend, unsuspend } from '../../../../test/harness/operators.ts'
import { DELIVERED, scriptedTransport } from '../../../../test/harness/transport.ts'
import { claimDue } from '../../../features/emails/delivery/ledger/queries.ts'
import { holdBack } from '../../../features/emails/delivery/ledger/set-aside.ts'
import { readDeliveryQueues } from '../../../features/emails/delivery/queue/queue-state.ts'
import { MAX_HOLDS } from '../../../features/limits/holds.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { queueHold, queueHolds, queueRelease } from './hold.ts'
import { queueList } from './list.ts'

type Flags = Record<string, string | boolean>

let app: App
let acme: Client
let sent: ReturnType<typeof scriptedTransport>

beforeEach(async () => {
  sent = scriptedTransport(() => DELIVERED)
  const started = await startAcme({}, { transport: sent.transport })
  app = started.app
  acme = started.acme
  await emptyLedger(app)
  await app.db.query(sql`delete from delivery_holds`)
})

async function hold(flags: Flags) {
  const printed = await runCommand(queueHold, [], { reason: 'Too many complaints.', ...flags })
  await app.services.teamStates.refresh()
  return printed
}

async function release(flags: Flags) {
  const printed = await runCommand(queueRelease, [], flags)
  await app.services.teamStates.refresh()
  // The command has the time of the machine.
  if (app.clock.now() < new Date()) app.clock.catchUp()
  await app.runDueJobs()
  await app.deliverDue()
  return printed
}

const statesOf = async () =>
  (await runForJson(queueList)).data.map(
    ({ state, recipient }: { state: string; recipient: string }) => `${state} ${recipient}`,
  )

const auditOf = async (client: Client) =>
  (await client.get('/audit-events?limit=100')).body.data
    .filter(({ action }: { action: string }) => action.startsWith('queue.'))
    .map(({ action, details }: Record<string, unknown>) => [action, details])

test.each([
  ['one team', async () => ({ team: await teamNameOf(app, acme) }), ['acme a.dev', 'acme b.dev', 'other acme b.dev']],
  ['one recipient domain', () => ({ domain: '@A.dev' }), ['acme a.dev', 'globex a.dev']],
  ['one sender domain', () => ({ from: 'acme.dev' }), ['acme a.dev', 'acme b.dev', 'globex a.dev']],
  ['what several filters say together', () => ({ from: 'acme.dev', domain: 'b.dev' }), ['acme b.dev']],
  ['everything', () => ({ all: true }), ['acme a.dev', 'acme b.dev', 'globex a.dev', 'other acme b.dev']],
])('a hold on %s sets that mail aside once, untried, and the release sends it', async (_name, flagsFor, held) => {
  const globex = await app.as('globex')
  const mails = {
    'acme a.dev': await sendEmail(acme, { to: 'x@A.dev' }),
    'acme b.dev': await sendEmail(acme, { to: 'x@b.dev' }),
    'other acme b.dev': await sendEmail(acme, { from: 'a@other.dev', to: 'y@b.dev' }),
    'globex a.dev': await sendEmail(globex, { to: 'y@a.dev' }),
  }
  const isHeld = (name: string) => held.includes(name)
  const flags = await flagsFor()

  const dryRun = await runForJson(queueHold, [], { ...flags, 'dry-run': true })
  await hold(flags)
  await app.deliverDue()
  const first = sent.sent.length
  const states = await statesOf()
  const rows = await app.db.query(sql`select attempts, holder, claims from deliveries where hold_id is not null`)
  await app.deliverDue()
  const again = await app.db.query(sql`select attempts, holder, claims from deliveries where hold_id is not null`)
  const released = await runForJson(queueRelease, [], { ...flags, 'dry-run': true })
  await release(flags)

  expect(dryRun.recipients).toBe(held.length)
  expect(first).toBe(Object.keys(mails).filter((name) => !isHeld(name)).length)
  expect(states).toHaveLength(held.length)
  expect(states.every((state: string) => state.startsWith('held '))).toBe(true)
  expect(rows.every(({ attempts, holder }) => attempts === 0 && holder === null)).toBe(true)
  // Nobody claims them again.
  expect(again).toEqual(rows)
  expect(released.recipients).toBe(held.length)
  expect(sent.sent).toHaveLength(4)
  expect(await statesOf()).toEqual([])
  for (const [name, id] of Object.entries(mails))
    expect((await readEmail(name.startsWith('globex') ? globex : acme, id)).timeline).toEqual(['sent', 'delivered'])
})

test('a hold on one email sets its recipients aside, and no others, until it is released by the same id', async () => {
  const id = await sendEmail(acme, { to: ['x@a.dev', 'y@b.dev'] })
  const other = await sendEmail(acme, { to: 'x@a.dev' })
  expect(await runCommand(queueHold, [], { email: id, 'dry-run': true })).toBe(
    `Would hold the email ${id} (2 recipients waiting).`,
  )
  await hold({ email: id })
  await app.deliverDue()

  expect((await statesOf()).sort()).toEqual(['held x@a.dev', 'held y@b.dev'])
  expect((await readEmail(acme, other)).last_event).toBe('delivered')
  expect(await runCommand(queueHolds)).toMatch(new RegExp(`^--email ${id} `, 'm'))
  expect(await runForJson(queueHolds)).toMatchObject({ data: [{ team_id: acme.team, email: id, domain: null }] })
  const { body } = await acme.get('/audit-events?action=queue.hold')
  expect(body.data[0].details).toMatchObject({ email: id })
  await release({ email: id })
  await app.deliverDue()
  expect((await readEmail(acme, id)).last_event).toBe('delivered')
})

test('a hold on a tag sets aside what has it, by its name or with its value', async () => {
  const tagged = (value: string) => [{ name: 'campaign', value }]
  await sendEmail(acme, { to: 'spring@a.dev', tags: tagged('spring') })
  await sendEmail(acme, { to: 'summer@a.dev', tags: tagged('summer') })
  await sendEmail(acme, { to: 'none@a.dev' })
  const dryRun = await runForJson(queueHold, [], { tag: 'campaign:spring', domain: 'a.dev', 'dry-run': true })
  await hold({ tag: 'campaign:spring', domain: 'a.dev' })
  await app.deliverDue()
  const byValue = await statesOf()
  await sendEmail(acme, { to: 'later@a.dev', tags: tagged('summer') })
  await hold({ tag: 'campaign' })
  await app.deliverDue()

  expect(dryRun).toMatchObject({ recipients: 1, tag: 'campaign:spring', domain: 'a.dev', destination: null })
  expect(byValue).toEqual(['held spring@a.dev'])
  expect((await statesOf()).sort()).toEqual(['held later@a.dev', 'held spring@a.dev'])
  expect(await runCommand(queueHolds)).toMatch(/^--domain a\.dev --tag 'campaign:spring' /m)
  await release({ tag: 'campaign' })
  expect(await statesOf()).toEqual(['held spring@a.dev'])
  await release({ tag: 'campaign:spring', domain: 'a.dev' })
  expect(await statesOf()).toEqual([])
})

test('mail with a held tag does not go straight through', async () => {
  await hold({ tag: 'campaign' })
  await app.startWorkers()
  await sendEmail(acme, { to: 'x@a.dev', tags: [{ name: 'campaign', value: 'spring' }] })

  await app.until(async () => (await statesOf())[0] === 'held x@a.dev')
  expect(sent.sent).toEqual([])
})

test('a hold on a destination holds what went there before, and is released by the provider’s name', async () => {
  const id = await sendEmail(acme, { to: 'x@a.dev' })
  await app.db.query(sql`update deliveries set destination = 'gmail' where email_id = ${id}`)
  const dryRun = await runCommand(queueHold, [], { provider: 'gmail', 'dry-run': true })
  const printed = await hold({ destination: 'gmail' })
  await app.deliverDue()

  expect(dryRun).toBe('Would hold mail to destination gmail (1 recipient waiting).')
  expect(printed).toBe('Holding mail to destination gmail. Release with: postwren queue release --destination gmail')
  expect(await statesOf()).toEqual(['held x@a.dev'])
  expect((await runForJson(queueHolds)).data).toMatchObject([{ destination: 'gmail', tag: null, recipients: 1 }])
  expect((await auditOf(acme))[0]).toEqual(['queue.hold', { destination: 'gmail', reason: 'Too many complaints.' }])
  await release({ provider: 'gmail' })
  expect((await readEmail(acme, id)).last_event).toBe('delivered')
  await expect(runCommand(queueHold, [], { provider: 'no-such', reason: 'x' })).rejects.toThrow(/--provider must be/)
  await expect(runCommand(queueHold, [], { tag: ':x', reason: 'x' })).rejects.toThrow(/--tag must be a name/)
})

test('mail is accepted while it is held, does not go straight through, and its time does not run out', async () => {
  await hold({ domain: 'a.dev' })
  await app.startWorkers()
  const [held, free] = [await sendEmail(acme, { to: 'x@a.dev' }), await sendEmail(acme, { to: 'x@b.dev' })]
  await app.until(async () => (await statesOf())[0] === 'held x@a.dev')
  await app.until(async () => (await readEmail(acme, free)).last_event === 'delivered')
  const shown = await readEmail(acme, held)
  const metrics = await readDeliveryQueues(app.db)
  app.clock.advance(80 * 3_600)
  await release({ domain: 'a.dev' })
  await app.until(async () => (await readEmail(acme, held)).last_event === 'delivered')

  expect(shown).toMatchObject({ last_event: 'sent', deliveries: [{ state: 'waiting', attempts: 0 }] })
  expect(metrics[0]).toMatchObject({ kind: 'single', on_hold: 1, suspended: 0, due: 0, held: 0 })
  expect(sent.sent.filter(({ recipient }) => recipient === 'x@a.dev')).toHaveLength(1)
})

test('a worker that hears of it late holds nothing back that was released', async () => {
  await sendEmail(acme, { to: 'x@a.dev' })
  const { id } = await runForJson(queueHold, [], { domain: 'a.dev', reason: 'x' })
  const of = [{ priority: 0, limit: 10, since: null }]
  const claimed = await claimDue(app.db, { node: app.db.presence.node, now: app.clock.now(), of })
  await runCommand(queueRelease, [], { domain: 'a.dev' })

  const aside = await holdBack(
    app.db,
    claimed.map((row) => ({ row, hold: id })),
    app.clock.now(),
  )

  expect(claimed).toHaveLength(1)
  expect(aside).toEqual([])
  await emptyLedger(app)
})

test('a broadcast of a held team is expanded after the release, and a copy to a held domain waits', async () => {
  const name = await teamNameOf(app, acme)
  const segment = await makeManyContacts(app, acme, 3)
  await hold({ team: name })
  const id = await broadcastTo(acme, segment)
  await app.runDueJobs()
  const before = (await copiesOf(app, acme, id)).length
  await release({ team: name })
  await hold({ domain: 'many.dev' })
  app.clock.advance(61)
  await app.runDueJobs()
  await app.deliverDue()
  const states = await statesOf()
  await release({ domain: 'many.dev' })

  expect(before).toBe(0)
  expect(states).toHaveLength(3)
  expect(states[0]).toMatch(/^held user\d@many.dev$/)
  expect((await copiesOf(app, acme, id)).map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered'])
})

test('mail that is held twice waits for both releases, and for its team', async () => {
  const name = await teamNameOf(app, acme)
  await hold({ domain: 'a.dev' })
  await hold({ team: name })
  await sendEmail(acme, { to: 'x@a.dev' })
  await app.deliverDue()
  await release({ domain: 'a.dev' })
  const states = [await statesOf()]
  await suspend(app, acme)
  await release({ team: name })
  states.push(await statesOf())
  await unsuspend(app, acme)
  await app.runDueJobs()
  await app.deliverDue()

  expect(states).toEqual([['held x@a.dev'], ['suspended x@a.dev']])
  expect(sent.sent).toHaveLength(1)
})

test('mail of sandboxes is not held', async () => {
  await hold({ all: true })
  const sandbox = await app.sandboxOf(acme)
  const id = await sendEmail(sandbox, { from: `a@${sandbox.domain}`, to: 'ada@example.com' })
  await app.deliverDue()

  expect((await readEmail(sandbox, id)).last_event).toBe('delivered')
})

test('a million held rows are not walked through by whoever takes up others', async () => {
  const id = await sendEmail(acme, { to: 'x@a.dev' })
  await hold({ domain: 'a.dev' })
  await app.deliverDue()
  await app.db.query(sql`
    insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at, suspended_at, hold_id)
    select team_id, email_id, n, 'x@a.dev', due_at, give_up_at, suspended_at, hold_id
    from deliveries, generate_series(1, 5000) n where email_id = ${id} and position = 0`)
  await app.db.query(sql`analyze deliveries`)
  const plan = await app.db.query<{ 'QUERY PLAN': string }>(sql`
    explain (analyze, costs off, timing off) select team_id from deliveries
    where state = 'waiting' and suspended_at is not null and hold_id is null order by team_id limit 1`)

  const text = plan.map((line) => line['QUERY PLAN']).join('\n')
  expect(text).toContain('waiting_deliveries_suspended')
  expect(text).not.toMatch(/Rows Removed by Filter/)
  await emptyLedger(app)
})

test('holds are listed with why and since when, and are in the audit log', async () => {
  const name = await teamNameOf(app, acme)
  const globex = await app.as('globex')
  const dryRun = await runCommand(queueHold, [], { domain: 'a.dev', 'dry-run': true })
  const printed = await hold({ domain: 'a.dev', team: name })
  await hold({ all: true, reason: 'Stop.' })
  const twice = await hold({ all: true, reason: 'Again.' })
  const text = await runCommand(queueHolds)
  const { data } = await runForJson(queueHolds)
  await release({ all: true })
  await release({ domain: 'a.dev', team: name })

  expect(dryRun).toBe('Would hold mail to a.dev (0 recipients waiting).')
  expect(printed).toBe(
    `Holding mail of team ${name} to a.dev. Release with: postwren queue release --team ${name} --domain a.dev`,
  )
  expect(twice).toMatch(/^Already holding all mail since .*Z: Stop\.$/)
  expect(text).toMatch(new RegExp(`^--team ${name} --domain a.dev +\\S+Z  0 +Too many complaints\\.$`, 'm'))
  expect(text).toMatch(/^--all +\S+Z +0 +Stop\.$/m)
  expect(data).toMatchObject([
    { object: 'hold', team_id: acme.team, team: name, domain: 'a.dev', from: null, recipients: 0 },
    { object: 'hold', team_id: null, domain: null, from: null, reason: 'Stop.' },
  ])
  expect(await runCommand(queueHolds)).toBe('Nothing is on hold.')
  expect(await auditOf(acme)).toEqual([
    ['queue.release', { domain: 'a.dev', reason: 'Too many complaints.' }],
    ['queue.release', { reason: 'Stop.' }],
    ['queue.hold', { reason: 'Stop.' }],
    ['queue.hold', { domain: 'a.dev', reason: 'Too many complaints.' }],
  ])
  expect((await auditOf(globex)).map(([action]: [string]) => action)).toEqual(['queue.release', 'queue.hold'])
})

test('what cannot be is one line', async () => {
  await expect(runCommand(queueHold, [], { reason: 'x' })).rejects.toThrow(
    'Say what: --email ID, --team T, --domain D, --from DOMAIN, --provider P, --destination D, --tag NAME[:VALUE], --all.',
  )
  await expect(runCommand(queueHold, [], { all: true, domain: 'a.dev', reason: 'x' })).rejects.toThrow(
    /^--all goes with/,
  )
  await expect(runCommand(queueHold, [], { domain: 'a.dev' })).rejects.toThrow(/^Missing --reason\./)
  await expect(runCommand(queueHold, [], { domain: 'nowhere', reason: 'x' })).rejects.toThrow(
    '--domain must be a domain like example.com, not `nowhere`.',
  )
  await expect(runCommand(queueHold, [], { team: 'Nobody', reason: 'x' })).rejects.toThrow('Team Nobody not found.')
  await expect(runCommand(queueRelease, [], { all: true })).rejects.toThrow(
    'There is no hold on all mail. List holds: postwren queue holds',
  )
  await app.db.query(sql`
    insert into delivery_holds (id, recipient_domain, reason, created_at)
    select gen_random_uuid(), n || '.dev', 'x', now() from generate_series(1, ${MAX_HOLDS}::int) n`)
  await expect(runCommand(queueHold, [], { domain: 'a.dev', reason: 'x' })).rejects.toThrow(/^There are 1000 holds/)
})
