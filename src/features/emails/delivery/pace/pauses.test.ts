import { expect, onTestFinished, test } from 'vitest'
import type { App, Client } from '../../../../../test/harness/app.ts'
import { addVerifiedDomain, emptyLedger, readEmail, sendEmail, startAcme } from '../../../../../test/harness/emails.ts'
import { newId } from '../../../../../test/harness/ids.ts'
import { readableLog } from '../../../../../test/harness/log.ts'
import { SYSTEM } from '../../../../kernel/audit/record.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import { liftPausesIn } from '../../../operator/pauses.ts'
import type { DestinationResolver } from '../transport/destination-resolvers.ts'
import type { Sender } from '../transport/sender.ts'
import { type IdentityKind, sourceIdentity } from './identity.ts'
import { endPauses, PAUSES_CHANNEL } from './pause-store.ts'
import { Pauses } from './pauses.ts'

/** What other nodes have to hear of first. */
const soon = <Seen>(look: () => Seen | Promise<Seen>) => expect.poll(look)

const TAKEN: Outcome = { kind: 'delivered', reply: '250 2.0.0 Ok' }

const refused = (about: IdentityKind, more: Partial<Outcome> = {}): Outcome => ({
  kind: 'deferred',
  reply: '421 4.7.28 Gmail has detected an unusual rate of unsolicited mail',
  isThrottled: false,
  about,
  means: 'block',
  class: 'spam_block',
  ...(more as object),
})

/** A provider that is asked for mail of two domains of a team, and says what the test wants. */
async function start() {
  const sent: { from: string; to: readonly string[]; destination: string }[] = []
  const script = { answer: (_from: string, _to: string): Outcome | Untried => TAKEN }
  const destination = `p-${newId()}.dev`
  const router: DestinationResolver = {
    resolve: (domain) => ({
      kind: 'found',
      destination: { name: domain === 'other.dev' ? domain : destination, hosts: [] },
    }),
  }
  const sender: Sender = {
    async send(destination, { from, to }) {
      sent.push({ from, to, destination: destination.name })
      return to.map((address) => script.answer(from, address))
    },
    pausedUntil: () => null,
    close: async () => {},
  }
  const { app, acme } = await startAcme({ POSTWREN_DELIVERY: 'direct' }, { router, sender })
  await emptyLedger(app)
  await app.db.query(sql`delete from delivery_pauses`)
  await app.db.query(sql`delete from destination_pauses`)
  const domains = [`a-${newId()}.dev`, `b-${newId()}.dev`] as const
  for (const name of domains) await addVerifiedDomain(app, acme, name)
  const send = (domain: string, fields: object = {}, client: Client = acme) =>
    sendEmail(client, { from: `hello@${domain}`, to: `ada@${destination}`, ...fields })
  const stateOf = async (id: string) => (await readEmail(acme, id)).last_event
  return { app, acme, domains, destination, sent, script, send, stateOf }
}

/** Pauses as another process has them. */
async function following(app: App) {
  const pauses = new Pauses(app.db, readableLog().log)
  onTestFinished(await pauses.follow())
  return pauses
}

test.each([
  ['dkim_domain', (domain: string) => domain],
  ['spf_domain', (domain: string) => `send.${domain}`],
] as const)('a pause about the %s of one domain lets all others go on', async (kind, identityOf) => {
  const { app, domains, destination, sent, script, send, stateOf } = await start()
  const [bad, good] = domains
  script.answer = (from) => (from.endsWith(bad) ? refused(kind) : TAKEN)
  const first = await send(bad)
  await app.deliverDue()
  const [second, elsewhere, other] = [await send(bad), await send(bad, { to: 'ada@other.dev' }), await send(good)]
  script.answer = () => TAKEN
  await app.deliverDue()

  expect(await stateOf(first)).toBe('delivery_delayed')
  expect(await stateOf(second)).toBe('delivery_delayed')
  expect(await stateOf(other)).toBe('delivered')
  expect(await stateOf(elsewhere)).toBe('delivered')
  // The second was not even tried.
  expect(sent).toHaveLength(3)
  const pauses = await app.db.query(sql`select destination, kind, identity, class, refusals from delivery_pauses`)
  expect(pauses).toEqual([{ destination, kind, identity: identityOf(bad), class: 'spam_block', refusals: 1 }])
})

test('what waits for the end of a pause does not all come back in one moment', async () => {
  const { app, domains, destination, script, send } = await start()
  script.answer = () => refused('dkim_domain')
  await send(domains[0])
  await app.deliverDue()
  await send(domains[0], { to: Array.from({ length: 50 }, (_, n) => `u${n}@${destination}`) })
  await app.deliverDue()

  const dues = await app.db.query<{ count: number }>(sql`
    select count(*)::int as count from deliveries, delivery_pauses
    where recipient ~ '^u' and due_at >= paused_until group by due_at order by due_at`)
  expect(dues.map(({ count }) => count)).toEqual([20, 20, 10])
})

test('a pause about a team lets mail of other teams go on', async () => {
  const { app, domains, script, send, stateOf } = await start()
  script.answer = () => refused('tenant', { pauseSeconds: 7_200 })
  await send(domains[0])
  await app.deliverDue()
  script.answer = () => TAKEN
  const id = await send(domains[1])
  const globex = await app.as('globex')
  const name = `c-${newId()}.dev`
  await addVerifiedDomain(app, globex, name)
  const theirs = await send(name, {}, globex)
  await app.deliverDue()

  expect(await stateOf(id)).toBe('delivery_delayed')
  expect((await readEmail(globex, theirs)).last_event).toBe('delivered')
  // As long as the rule says.
  const [pause] = await app.db.query(sql`
    select extract(epoch from paused_until - refused_at)::int as seconds, identity from delivery_pauses`)
  expect(pause).toEqual({ seconds: 7_200, identity: (await app.as('acme')).team })
})

test('a pause about links is for mail that has them, and names the sender’s own where it has any', async () => {
  const { app, domains, script, send, stateOf } = await start()
  const links = (...urls: string[]) => ({ html: urls.map((url) => `<a href="${url}">look</a>`).join('') })
  script.answer = () => refused('url_domain')
  await send(domains[0], links(`https://www.${domains[0]}/x`, 'https://social.example/us'))
  await app.deliverDue()
  script.answer = () => TAKEN
  const same = await send(domains[1], links(`http://WWW.${domains[0]}:8080/y?z`))
  const others = await send(domains[0], links('https://social.example/us'))
  await app.deliverDue()

  expect(await stateOf(same)).toBe('delivery_delayed')
  expect(await stateOf(others)).toBe('delivered')
  const pauses = await app.db.query(sql`select identity from delivery_pauses`)
  expect(pauses).toEqual([{ identity: `www.${domains[0]}` }])
})

test('conversations that began before a pause do not make it longer, and mail that is taken after it ends it', async () => {
  const { app, domains, script, send, stateOf } = await start()
  script.answer = () => refused('dkim_domain')
  const pauseOf = async () =>
    (await app.db.query(sql`select refusals, paused_until as until from delivery_pauses`))[0] as
      | { refusals: number; until: Date }
      | undefined
  await send(domains[0], { to: ['ada@p.dev', 'bob@p.dev', 'cy@p.dev', 'dan@p.dev'] })
  await app.deliverDue()
  const first = await pauseOf()
  app.clock.advance(899)
  const id = await send(domains[0])
  await app.deliverDue()
  expect(await pauseOf()).toEqual(first)
  expect(first).toMatchObject({ refusals: 1 })

  app.clock.advance(2)
  script.answer = () => TAKEN
  await app.deliverDue()
  expect(await stateOf(id)).toBe('delivered')
  await soon(pauseOf).toBe(undefined)
})

test('an operator lifts a pause with a reason, and only that one', async () => {
  const { app, acme, domains, destination, script, send } = await start()
  script.answer = () => refused('dkim_domain')
  await send(domains[0])
  await send(domains[1])
  await app.deliverDue()

  const filter = { destination, kind: 'dkim_domain', identity: domains[0] } as const
  const reason = 'They have answered us'
  const lifted = await app.db.transaction((trx) => liftPausesIn(trx, SYSTEM, { filter, reason }))
  expect(lifted.pauses).toMatchObject([{ destination, kind: 'dkim_domain', identity: domains[0] }])
  const [row] = await app.db.query(sql`select lifted_reason from delivery_pauses where identity = ${domains[0]}`)
  expect(row).toEqual({ lifted_reason: 'They have answered us' })
  expect(lifted.pauses).toHaveLength(1)
  const eventsOf = async (client: Client) => (await client.get('/audit-events?action=queue.lift')).body.data
  const details = { destination, kind: 'dkim_domain', identity: domains[0], reason }
  expect(await eventsOf(acme)).toMatchObject([{ details }])
  // Whose domain it is not reads nothing of it.
  expect(await eventsOf(await app.as('globex'))).toEqual([])
  const left = (await following(app)).list().filter((pause) => pause.destination === destination)
  expect(left).toMatchObject([{ identity: domains[1] }])
})

test('programs from before share what is about our address, in both directions', async () => {
  const { app, domains, destination, script, send } = await start()
  const elsewhere = await following(app)
  script.answer = () => refused('source')
  await send(domains[0])
  await app.deliverDue()
  const [old] = await app.db.query(sql`select refusals from destination_pauses where destination = ${destination}`)
  expect(old).toEqual({ refusals: 1 })
  const pauses = await app.db.query(sql`select identity from delivery_pauses`)
  expect(pauses).toEqual([{ identity: sourceIdentity({}).source }])

  const source = sourceIdentity({})
  await soon(() => elsewhere.findForAll(destination, source)).toMatchObject({ kind: 'source' })
  // Once, although it is in both tables.
  expect(elsewhere.list().filter((pause) => pause.destination === destination)).toHaveLength(1)
  const now = app.clock.now()
  await app.db.query(sql`
    insert into destination_pauses (destination, refusals, paused_until, host, reply, refused_at)
    values ('other.dev', 1, ${new Date(now.getTime() + 900_000)}, null, '554 blocked', ${now})`)
  app.db.signals.announce(PAUSES_CHANNEL)
  await expect
    .poll(() => elsewhere.findForAll('other.dev', source))
    .toMatchObject({ kind: 'site', reply: '554 blocked' })

  await app.db.transaction((trx) => endPauses(trx, 'All of them'))
  await soon(() => elsewhere.list()).toEqual([])
  expect(await app.db.query(sql`select from destination_pauses where paused_until > ${now}`)).toEqual([])
})

/** POSTWREN_TEST_NIGHT=1: as many as a large broadcast. */
const BACKLOG = process.env.POSTWREN_TEST_NIGHT === '1' ? 100_000 : 2_000

test('a backlog of a paused identity is claimed once for each pause, and is in nobody’s way meanwhile', async () => {
  const { app, acme, domains, destination, sent, script, send, stateOf } = await start()
  const [bad, good] = domains
  script.answer = (from) => (from.endsWith(bad) ? refused('dkim_domain') : TAKEN)
  await send(bad)
  await app.deliverDue()
  const emails = Array.from({ length: Math.min(100, BACKLOG / 50) }, (_, email) => ({
    ...{ from: `hello@${bad}`, subject: 'Hi', text: 'Hi' },
    to: Array.from({ length: 50 }, (_, n) => `u${email}-${n}@${destination}`),
  }))
  for (let rows = 0; rows < BACKLOG; rows += emails.length * 50) await acme.post('/emails/batch', emails)
  const claims = async () => {
    const [row] = await app.db.query<{ rows: number; claims: number; most: number; due: number }>(sql`
      select count(*)::int as rows, sum(claims)::int as claims, max(claims) as most,
        count(*) filter (where due_at <= ${app.clock.now()})::int as due
      from deliveries where state = 'waiting' and recipient ~ '^u'`)
    return row
  }
  await app.deliverDue()
  expect(await claims()).toEqual({ rows: BACKLOG, claims: BACKLOG, most: 1, due: 0 })
  for (const seconds of [60, 300, 500]) {
    app.clock.advance(seconds)
    const other = await send(good)
    await app.deliverDue()
    expect(await stateOf(other)).toBe('delivered')
  }
  expect(await claims()).toEqual({ rows: BACKLOG, claims: BACKLOG, most: 1, due: 0 })

  // The pause ends, and the first to come back are refused again: the others wait for the next end, and ask nobody.
  const before = sent.length
  app.clock.advance(42)
  await app.deliverDue()
  const { due: _, claims: asked } = (await claims())!
  expect(asked - BACKLOG).toBeGreaterThan(0)
  expect(sent.length - before).toBeLessThanOrEqual(asked - BACKLOG)
  for (let quarter = 0; quarter < 3; quarter++) {
    app.clock.advance(900)
    await app.deliverDue()
  }
  // Twice, but for the first ones, of which some waited for a free slot before they were asked.
  const after = (await claims())!
  expect(after).toMatchObject({ rows: BACKLOG, due: 0 })
  expect(after.claims).toBeGreaterThanOrEqual(2 * BACKLOG)
  expect(after.claims).toBeLessThanOrEqual(BACKLOG + asked)
  expect(sent.length - before).toBeLessThanOrEqual(asked - BACKLOG)
}, 600_000)
