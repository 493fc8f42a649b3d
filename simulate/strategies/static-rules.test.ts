import { expect, test } from 'vitest'
import { kumomta } from './kumomta.ts'
import type { Answer, Pacer, Route } from './pacer.ts'
import { powermta } from './powermta.ts'

const MINUTE_MS = 60_000

const routeTo = (domain: string, hosts: readonly string[]): Route => ({
  site: domain,
  domain,
  hosts,
  identity: { source: '192.0.2.10', spf_domain: 's.test', dkim_domain: 'd.test', url_domain: 'u.test', tenant: 't' },
})
const outlook = routeTo('outlook.test', ['outlook-com.olc.protection.outlook.com'])
const yahoo = routeTo('yahoo.test', ['mta5.am0.yahoodns.net', 'mta6.am0.yahoodns.net'])
const small = routeTo('site001.test', ['mx.site001.test'])

const FIRST = { recipient: 'user1', startedMs: 0, attempts: 1 }

const answer = (line: string): Answer => {
  const [, code, enhanced, text] = /^(\d+) (?:(\d\.\d+\.\d+) )?(.*)$/.exec(line)!
  return { code: Number(code), enhanced: enhanced ?? null, text: text!, phase: 'mail', ...FIRST }
}

/** How many may go within a minute. */
function goIn(pacer: Pacer, route: Route, fromMs: number): number {
  let count = 0
  for (let nowMs = fromMs; nowMs < fromMs + MINUTE_MS; nowMs += 10) if (pacer.waitMs(route, nowMs) === 0) count++
  return count
}

test('KumoMTA: the block of the provider is merged with that of everything, if all servers are its own', () => {
  const pacer = kumomta.create()

  expect(pacer.concurrency(outlook, 0)).toMatchObject({ connections: 5, messagesPerConnection: 50 })
  expect(pacer.concurrency(yahoo, 0)).toMatchObject({ connections: 10, messagesPerConnection: 20 })
  const half = routeTo('half.test', ['mta5.am0.yahoodns.net', 'mx.half.test'])
  expect(pacer.concurrency(half, 0)).toMatchObject({ connections: 10, messagesPerConnection: 100 })
})

test('KumoMTA: a path is suspended after so many replies within an hour, and goes on afterwards', () => {
  const pacer = kumomta.create()
  const busy = answer('451 4.7.500 Access denied, please try again later')
  for (const minute of [0, 10, 20, 30, 90]) pacer.answered(outlook, busy, minute * MINUTE_MS)
  expect(pacer.waitMs(outlook, 90 * MINUTE_MS)).toBe(0)

  for (const minute of [91, 92, 93, 94]) pacer.answered(outlook, busy, minute * MINUTE_MS)

  expect(pacer.waitMs(outlook, 94 * MINUTE_MS)).toBe(60 * MINUTE_MS)
  expect(pacer.waitMs(small, 94 * MINUTE_MS)).toBe(0)
  expect(pacer.waitMs(outlook, 155 * MINUTE_MS)).toBe(0)
})

test('KumoMTA: a rule may set a rate for a while', () => {
  const pacer = kumomta.create()
  const limited = answer(
    '451 4.7.650 The mail server [192.0.2.10] has been temporarily rate limited due to IP reputation.',
  )
  expect(goIn(pacer, outlook, 0)).toBeGreaterThan(1_000)

  pacer.answered(outlook, limited, MINUTE_MS)

  expect(goIn(pacer, outlook, 2 * MINUTE_MS)).toBeLessThanOrEqual(2)
  expect(goIn(pacer, outlook, 93 * MINUTE_MS)).toBeGreaterThan(1_000)
})

test('PowerMTA: a reply puts the queue into back-off mode, and a delivery ends it', () => {
  const pacer = powermta.create()
  expect(goIn(pacer, small, 0)).toBeGreaterThan(1_000)

  pacer.answered(small, answer('450 4.7.1 too much'), MINUTE_MS)
  expect(goIn(pacer, small, 2 * MINUTE_MS)).toBeLessThanOrEqual(11)
  pacer.answered(small, answer('250 2.0.0 OK'), 3 * MINUTE_MS)

  expect(goIn(pacer, small, 4 * MINUTE_MS)).toBeGreaterThan(1_000)
})

test('PowerMTA: where 421 means that the server is away, the queue waits for its next turn', () => {
  const pacer = powermta.create()
  pacer.answered(yahoo, answer('421 4.7.0 [TSS04] later'), 0)

  expect(pacer.waitMs(yahoo, 0)).toBe(30 * MINUTE_MS)
  expect(pacer.waitMs(small, 0)).toBe(0)
})
