import { describe, expect, test } from 'vitest'
import { lineOf } from './replies.ts'
import { DAY_MS } from './sender-reputation.ts'
import { Site, type SiteConnection } from './site.ts'
import { IDENTITY_KINDS, type Identity, type ReplyStyle, type SitePolicy, VOICES } from './site-policy.ts'

const MINUTE_MS = 60_000

const identity: Identity = {
  source: '192.0.2.10',
  spf_domain: 'send.acme.test',
  dkim_domain: 'acme.test',
  url_domain: 'links.acme.test',
  tenant: 'acme',
}

const siteWith = (temper: SitePolicy, voice: ReplyStyle = 'postfix') =>
  new Site({ name: 'site', voice, domains: ['site.test'], hosts: ['mx.site.test'], daily_offer: 100, temper })

const open = (site: Site, source = identity.source): SiteConnection => site.connect(source)!.connection!

/** The codes of so many messages at a moment. */
const send = (site: Site, { count = 1, nowMs = 0, as = identity, connection = open(site, as.source) } = {}) =>
  Array.from({ length: count }, (_, index) =>
    site.transact(nowMs, connection, { identity: as, recipient: `user${index}` }),
  )

const codes = (replies: readonly { code: number }[]) => replies.map(({ code }) => code)

test('a stranger with much mail is blocked for a day; it may bring more after each good day, and all of it when it is warm', () => {
  const strict = () =>
    siteWith({
      limits: [{ by: 'source', per_minute: 1_000, burst: 1_000 }],
      warm_up: { by: 'source', share: 0.25, growth: 2, blocks_beyond: 3 },
    })
  const careful = strict()
  const days = [2, 6, 100].map((count, day) => send(careful, { count, nowMs: day * DAY_MS }))
  const hasty = strict()
  const first = send(hasty, { count: 5 })

  expect(new Set(codes(days.flat()))).toEqual(new Set([250]))
  expect(careful.counts).toMatchObject({ taken: 108, blocks: 0 })
  expect(codes(first).slice(0, 3)).toEqual([250, 250, 250])
  expect(
    codes(first)
      .slice(3)
      .every((code) => code >= 400),
  ).toBe(true)
  expect(hasty.counts).toMatchObject({ taken: 3, blocks: 1, refusedBlocked: 2 })
  // It has learned nothing good of it.
  expect(codes(send(hasty, { count: 3, nowMs: 2 * DAY_MS }))).toEqual([250, 250, 250])
  expect(hasty.counts.blocks).toBe(1)
})

describe('a token bucket', () => {
  test.each(IDENTITY_KINDS)('by %s takes the burst, then what the minute allows, from each of them', (by) => {
    const site = siteWith({ limits: [{ by, per_minute: 2, burst: 3 }] })

    expect(codes(send(site, { count: 4 }))).toEqual([250, 250, 250, 450])
    expect(codes(send(site, { count: 3, nowMs: MINUTE_MS }))).toEqual([250, 250, 450])
    expect(codes(send(site, { nowMs: MINUTE_MS, as: { ...identity, [by]: 'other.test' } }))).toEqual([250])
    expect(site.counts).toMatchObject({ offered: 8, taken: 6, throttled: 2 })
  })

  test('mail that one limit refuses uses no token of another', () => {
    const site = siteWith({
      limits: [
        { by: 'source', per_minute: 1, burst: 2 },
        { by: 'dkim_domain', per_minute: 1, burst: 1 },
      ],
    })

    expect(codes(send(site, { count: 2 }))).toEqual([250, 450])
    expect(codes(send(site, { as: { ...identity, dkim_domain: 'other.test' } }))).toEqual([250])
  })

  test.each(VOICES)('%s says so in its own words, for now', (voice) => {
    const site = siteWith({ limits: [{ by: 'source', per_minute: 1, burst: 1 }] }, voice)
    const [, second] = send(site, { count: 2 })

    expect(lineOf(second!)).toMatch(/^4\d\d [^\n]+$/)
    expect(second!.closes).toBe(second!.code === 421)
  })

  test('Gmail names the identity that the limit is about', () => {
    const site = siteWith({ limits: [{ by: 'dkim_domain', per_minute: 1, burst: 1 }] }, 'gmail')

    expect(lineOf(send(site, { count: 2 })[1]!)).toMatch(/^421 4\.7\.28 .* your DKIM domain \[acme\.test\]/)
  })
})

describe('who does not slow down', () => {
  const temper: SitePolicy = {
    limits: [{ by: 'source', per_minute: 1, burst: 1 }],
    escalation: { grace_seconds: 60, deferrals: 5, within_seconds: 600, blocks_after: 2, block_seconds: 86_400 },
  }

  test('has a moment of grace, is escalated, then blocked for a day, and forgiven', () => {
    const site = siteWith(temper, 'outlook')
    send(site, { count: 100 })
    expect(site.counts).toMatchObject({ escalations: 0, blocks: 0 })

    send(site, { count: 7, nowMs: MINUTE_MS })
    expect(site.counts).toMatchObject({ escalations: 1, blocks: 0 })
    send(site, { count: 100, nowMs: 2 * MINUTE_MS })
    const blocked = send(site, { nowMs: 3 * MINUTE_MS })

    expect(site.counts).toMatchObject({ escalations: 1, blocks: 1 })
    expect(lineOf(blocked[0]!)).toMatch(/^550 5\.7\.1 .*S3150/)
    expect(codes(send(site, { nowMs: 12 * 60 * MINUTE_MS }))).toEqual([550])
    expect(codes(send(site, { nowMs: 2 * MINUTE_MS + DAY_MS }))).toEqual([250])
  })

  test('is only who goes on: a deferral now and then is not held against anybody', () => {
    const site = siteWith(temper)
    for (let minute = 0; minute < 24 * 60; minute += 5) send(site, { count: 2, nowMs: minute * MINUTE_MS })

    expect(site.counts).toMatchObject({ throttled: 288, escalations: 0, blocks: 0 })
  })
})

describe('a limit that has to be warmed up', () => {
  const temper: SitePolicy = {
    limits: [{ by: 'source', per_minute: 100, burst: 100 }],
    warm_up: { by: 'source', share: 0.1, growth: 2 },
  }
  const takenOn = (site: Site, day: number, count = 1_000) => {
    const before = site.counts.taken
    send(site, { count, nowMs: day * DAY_MS })
    return site.counts.taken - before
  }

  test('rises with each good day to the whole', () => {
    const site = siteWith(temper)

    expect([0, 1, 2, 3, 4, 5].map((day) => takenOn(site, day, [10, 20, 40, 80, 100, 100][day]))).toEqual([
      10, 20, 40, 80, 100, 100,
    ])
    expect(site.warmth).toEqual([4])
  })

  test('falls with a bad day, and begins again after a month of silence', () => {
    const site = siteWith(temper)
    for (const day of [0, 1, 2]) takenOn(site, day, 10)

    expect(takenOn(site, 3)).toBe(80)
    expect(takenOn(site, 4)).toBe(20)
    expect(takenOn(site, 40)).toBe(10)
    expect(site.warmth).toEqual([null])
  })
})

test('greylisting refuses the first try of a sender to a recipient until its time has passed', () => {
  const site = siteWith({ greylist_seconds: 300 })
  const at = (minutes: number) => codes(send(site, { nowMs: minutes * MINUTE_MS }))[0]

  expect([at(0), at(4), at(5), at(6)]).toEqual([450, 450, 250, 250])
  expect(codes(send(site, { nowMs: 7 * MINUTE_MS, as: { ...identity, source: '192.0.2.11' } }))).toEqual([450])
  expect(site.counts).toMatchObject({ greylisted: 3, taken: 2 })
})

test('connections beyond the limit of a source are refused, until one is closed', () => {
  const site = siteWith({ max_connections: 2 })
  const [first] = [open(site), open(site)]

  expect(site.connect(identity.source)).toMatchObject({ reply: { code: 421 }, connection: null })
  expect(open(site, '192.0.2.11').isOpen).toBe(true)
  site.disconnect(first!)
  site.disconnect(first!)
  expect(open(site).isOpen).toBe(true)
  expect(site.connect(identity.source)!.connection).toBeNull()
  expect(site.counts).toMatchObject({ connections: 4, connectionsRefused: 2 })
})

test('after the most messages of a connection comes a 421, or the end without a word', () => {
  const loud = siteWith({ max_messages_per_connection: 2 })
  const silent = siteWith({ max_messages_per_connection: 2, closes_silently: true }, 'yahoo')

  expect(send(loud, { count: 3 }).map(({ code, closes }) => [code, closes])).toEqual([
    [250, false],
    [250, false],
    [421, true],
  ])
  expect(send(silent, { count: 2 }).map(({ code, closes }) => [code, closes])).toEqual([
    [250, false],
    [250, true],
  ])
  expect(loud.counts.cutOff).toBe(1)
})

test('a tarpit answers late from a message on', () => {
  const site = siteWith({ tarpit: { after_messages: 1, delay_seconds: 10 } })
  const connection = open(site)
  const before = site.delayMs(connection)
  send(site, { connection })

  expect([before, site.delayMs(connection)]).toEqual([0, 10_000])
})

test('recipients that do not exist are the same ones each time; some sites take nothing', () => {
  const site = siteWith({ unknown_share: 0.25 })
  const first = codes(send(site, { count: 400 }))

  expect(codes(send(site, { count: 400 }))).toEqual(first)
  expect(first.filter((code) => code === 550).length).toBeGreaterThan(60)
  expect(first.filter((code) => code === 550).length).toBeLessThan(140)
  expect(codes(send(siteWith({ refuses_all: true })))).toEqual([554])
})

test('TLS may be broken, and nobody may answer', () => {
  const broken = siteWith({ tls: 'broken' })

  expect(broken.startTls()).toBe(false)
  expect(broken.counts.brokenHandshakes).toBe(1)
  expect(siteWith({ tls: 'good' }).startTls()).toBe(true)
  expect(siteWith({ reachable: 'timeout' }).connect(identity.source)).toBeNull()
})
