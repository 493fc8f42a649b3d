import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openBackend } from '../../../../../test/harness/backends.ts'
import { startDirect } from '../../../../../test/harness/direct.ts'
import { readEmail, sendEmail } from '../../../../../test/harness/emails.ts'
import { readableLog } from '../../../../../test/harness/log.ts'
import type { Destination } from '../../../../adapters/smtp-client/destination.ts'
import type { Presence } from '../../../../kernel/db/presence.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import type { Outcome } from '../../../../mail/outcome.ts'
import { builtInRules } from '../../../../mail/providers/ceilings.ts'
import { newId } from '../../../../platform/ids.ts'
import { DELIVERIES_CHANNEL } from '../ledger/queries.ts'
import { CEILINGS_CHANNEL } from './ceiling-store.ts'
import { CeilingTable } from './ceiling-table.ts'
import { sourceIdentity } from './identity.ts'
import { nodesOf, shareOf } from './nodes.ts'
import { Pace } from './pace.ts'
import { keyText } from './store.ts'

/** What other nodes and the next batch have to hear of first. */
const soon = <Seen>(look: () => Seen | Promise<Seen>) => expect.poll(look)

/** A first attempt. */
const FIRST = { recipient: 'ada@example.com', attempt: 1 }

const BUSY = '421 4.7.0 Too much mail, slow down'

async function start(settings: Record<string, string> = {}, mxSuffix?: string) {
  const started = await startDirect({}, settings)
  const { app, acme, dns, from } = started
  await app.db.query(sql`delete from pace_controllers`)
  await app.db.query(sql`delete from delivery_ceilings`)
  const siteOf = (label: string) => {
    const domain = `${label}-${Math.random().toString(36).slice(2)}.dev`
    const mx = `mx.${mxSuffix ?? domain}`
    dns.set(domain, { MX: [{ exchange: mx, preference: 10 }] })
    dns.set(mx, { A: ['127.0.0.1'] })
    return { domain, mx }
  }
  const send = (domain: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => sendEmail(acme, { from, to: `user${n}@${domain}` })))
  const arrivedAt = (domain: string) =>
    started.server.messages.filter(({ to }) => to.some((address) => address.endsWith(`@${domain}`))).length
  return { ...started, siteOf, send, arrivedAt }
}

const pacesOf = ({ app }: Awaited<ReturnType<typeof start>>, destination: string) =>
  app.db.query<{ kind: string; identity: string; rate: number; reply: string }>(
    sql`select kind, identity, rate, reply from pace_controllers where destination = ${destination}`,
  )

describe('a site that asks for less', () => {
  test('gets less, by the reply that said so; another gets what it got before', async () => {
    const started = await start()
    const { app, server, siteOf, send, arrivedAt } = started
    const [busy, other] = [siteOf('busy'), siteOf('other')]
    server.react(({ step, line }) => (step === 'RCPT' && line.includes(busy.domain) ? BUSY : undefined))
    await send(busy.domain, 1)
    await app.deliverDue()
    await soon(() => pacesOf(started, busy.mx)).toHaveLength(1)
    const [pace] = await pacesOf(started, busy.mx)
    expect(pace).toMatchObject({ kind: 'source', identity: 'default', reply: BUSY })

    server.react(() => undefined)
    await send(busy.domain, 20)
    await send(other.domain, 20)
    await app.deliverDue()
    expect([arrivedAt(busy.domain), arrivedAt(other.domain)]).toEqual([0, 20])

    // One when the rest is over, and from then on as the rate says.
    app.clock.advance(5)
    await app.deliverDue()
    expect(arrivedAt(busy.domain)).toBe(1)
    for (let second = 0; second < 4; second++) {
      app.clock.advance(1)
      await app.deliverDue()
    }
    expect(arrivedAt(busy.domain)).toBe(1 + Math.floor(4 * pace!.rate))
    const changes = await app.db.query(
      sql`select cause, from_rate, to_rate, reply from pace_changes where destination = ${busy.mx}`,
    )
    expect(changes).toEqual([{ cause: 'throttled', from_rate: null, to_rate: pace!.rate, reply: BUSY }])
  })

  test('is remembered by processes that start, with the reply', async () => {
    const started = await start()
    const { app, server, siteOf, send } = started
    const { domain, mx } = siteOf('busy')
    server.react(({ step }) => (step === 'MAIL' ? BUSY : undefined))
    await send(domain, 1)
    await app.deliverDue()
    await soon(() => pacesOf(started, mx)).toHaveLength(1)

    const pace = paceOf(app.db)
    const ignore = await pace.follow()
    ignore()
    const [known] = pace.list().filter(({ destination }) => destination === mx)
    expect(known).toMatchObject({ kind: 'source', identity: 'default', reply: BUSY })
    expect(pace.admit(wayTo({ name: mx, hosts: [] })).waitMs).toBeGreaterThan(0)
    expect(pace.admit(wayTo({ name: 'mx.other.dev', hosts: [] })).waitMs).toBe(0)
  })

  test('gets less whatever the database still says about the answers before', async () => {
    const { app } = await start()
    const backend = await openBackend()
    const destination = `mx.${newId(app.clock)}.dev`
    const pace = paceOf(app.db)
    const way = wayTo({ name: destination, hosts: [] })
    const answered = (outcome: Outcome) =>
      pace.heard(way, [outcome], { ...FIRST, startedAt: app.clock.now().getTime() })
    const cuts = () => pace.list().map(({ state }) => state.complaints)
    const written = () => app.db.query(sql`select complaints from pace_controllers where destination = ${destination}`)
    const throttled = { kind: 'deferred', reply: BUSY, isThrottled: true } as const
    answered(throttled)
    await soon(written).toEqual([{ complaints: 1 }])

    app.clock.advance(15)
    answered({ kind: 'delivered', reply: '250' })
    const lock = `pace ${keyText({ destination, kind: 'source', identity: 'default' })}`
    await backend.hold('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lock])
    const told = pace.tell()
    await backend.waiters()
    answered(throttled)
    expect(cuts()).toEqual([2])
    await backend.release()
    await told
    expect(cuts()).toEqual([2])
    expect(await written()).toEqual([{ complaints: 2 }])
  })

  test('grows again with what it takes, as all nodes have told', async () => {
    const { app } = await start()
    const name = `mx.${newId(app.clock)}.dev`
    const pace = paceOf(app.db)
    const way = wayTo({ name, hosts: [] })
    const outcome = { kind: 'deferred', reply: BUSY, isThrottled: true } as const
    pace.heard(way, [outcome], { ...FIRST, startedAt: app.clock.now().getTime() })
    const rateOf = async () =>
      (await app.db.query<{ rate: number }>(sql`select rate from pace_controllers where destination = ${name}`))[0]
        ?.rate
    await soon(rateOf).toBe(1)

    for (let round = 0; round < 3; round++) {
      app.clock.advance(15)
      for (let n = 0; n < 40; n++)
        pace.heard(way, [{ kind: 'delivered', reply: '250' }], { ...FIRST, startedAt: app.clock.now().getTime() })
      await pace.tell()
    }
    expect(await rateOf()).toBeGreaterThan(1)
  })
})

const paceOf = (db: Awaited<ReturnType<typeof start>>['app']['db'], rules = builtInRules(5)) => {
  const { log } = readableLog()
  return new Pace(db, { log, source: sourceIdentity({}), ceilings: new CeilingTable(db, { log, rules }) })
}

const wayTo = (destination: Destination) => ({
  destination,
  domain: 'example.com',
  identities: { ...sourceIdentity({}), spf_domain: 'send.a.dev', dkim_domain: 'a.dev', tenant: 't' },
})

describe('a ceiling', () => {
  test('of a provider is kept: Yahoo gets 20 messages over a connection, and what it ends itself is no trouble', async () => {
    const { app, server, siteOf, send, arrivedAt } = await start({}, 'am0.yahoodns.net')
    const { domain } = siteOf('y')
    await send(domain, 45)
    await app.deliverDue()

    expect(arrivedAt(domain)).toBe(45)
    const counts = new Map<number, number>()
    for (const { connection } of server.messages) counts.set(connection, (counts.get(connection) ?? 0) + 1)
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(20)
    expect(server.connections.peak).toBeLessThanOrEqual(5)
    expect(await app.db.query(sql`select from pace_controllers where destination = 'yahoo'`)).toEqual([])
  })

  test('for the rate of a domain is kept, and costs nobody an attempt', async () => {
    const domain = `slow-${Math.random().toString(36).slice(2)}.dev`
    const path = join(mkdtempSync(join(tmpdir(), 'ceilings-')), 'ceilings.json')
    writeFileSync(path, JSON.stringify([{ domain, rate: '2/s' }]))
    const { app, acme, dns, send, arrivedAt } = await start({ POSTWREN_CEILINGS: path })
    dns.set(domain, { MX: [{ exchange: `mx.${domain}`, preference: 10 }] })
    dns.set(`mx.${domain}`, { A: ['127.0.0.1'] })
    const ids = await send(domain, 10)
    await app.deliverDue()
    expect(arrivedAt(domain)).toBe(0)
    const arrived: number[] = []
    for (let second = 0; second < 5; second++) {
      app.clock.advance(1)
      await app.deliverDue()
      arrived.push(arrivedAt(domain))
    }
    expect(arrived).toEqual([2, 4, 6, 8, 10])
    // Nobody has refused anything.
    expect((await readEmail(acme, ids[0]!)).deliveries[0]).toMatchObject({ state: 'delivered', attempts: 1 })
  })

  test('that operators set counts for services that run; one that says nothing to this program leaves the others in force', async () => {
    const { app } = await start()
    const pace = paceOf(app.db)
    onTestFinished(await pace.follow())
    const now = app.clock.now()
    await app.db.query(sql`
      insert into delivery_ceilings (id, provider, ceilings, created_at, updated_at)
      values (${newId(app.clock)}, 'gmail', '{"speed": 3}', ${now}, ${now}), (${newId(app.clock)}, 'yahoo', '{"connections": 3}', ${now}, ${now})`)
    app.db.signals.announce(CEILINGS_CHANNEL)
    const connectionsAt = (provider: string) =>
      pace.destinationFor({ name: provider, provider, hosts: [] }, null).maxConnections
    await soon(() => connectionsAt('yahoo')).toBe(3)
    expect(connectionsAt('gmail')).toBe(5)
  })
})

describe('nodes', () => {
  test('share each ceiling, and each gets as many connections as make up the whole', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 20 }), (total, count) => {
        const shares = Array.from({ length: count }, (_, rank) => shareOf(total, { count, rank }))
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total)
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('that deliver are counted, and no others', () => {
    const other = (id: number, ...works: string[]) => ({ id, works }) as unknown as Presence['others'][number]
    const others = [other(1, DELIVERIES_CHANNEL), other(2, 'jobs'), other(9, DELIVERIES_CHANNEL, 'jobs')]
    expect(nodesOf({ node: 5, others })).toEqual({ count: 3, rank: 1 })
    expect(nodesOf({ node: 5, others: [] })).toEqual({ count: 1, rank: 0 })
  })
})
