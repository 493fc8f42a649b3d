import { expect, test } from 'vitest'
import { MIN_SITES, Reachability, SILENT_MS } from './reachability.ts'

const SITES = Array.from({ length: MIN_SITES }, (_, n) => `mx.dead-${n}.dev`)

test('five sites that nobody can connect to, and nobody who answers for 30 s', () => {
  const reachability = new Reachability(0)
  for (const site of SITES) reachability.unreached(site, { startedAt: 1_000, now: 1_100 })
  expect(reachability.sitesLost(1_000 + SILENT_MS - 1)).toBe(0)
  expect(reachability.sitesLost(1_000 + SILENT_MS)).toBe(MIN_SITES)
})

test('four are not enough, and one that is asked again and again is one', () => {
  const reachability = new Reachability(0)
  for (const site of SITES.slice(1)) reachability.unreached(site, { startedAt: 1_000, now: 1_100 })
  for (let now = 2_000; now <= 40_000; now += 1_000) reachability.unreached(SITES[1]!, { startedAt: now - 100, now })
  expect(reachability.sitesLost(40_000)).toBe(0)
})

test('an answer in between shows that the network is there: what began before it says nothing', () => {
  const reachability = new Reachability(0)
  for (const site of SITES) reachability.unreached(site, { startedAt: 1_000, now: 1_100 })
  reachability.answered('mx.alive.dev', 20_000)
  // Connections that time out end long after living sites have answered.
  for (const site of SITES) reachability.unreached(site, { startedAt: 19_000, now: 49_000 })
  expect(reachability.sitesLost(60_000)).toBe(0)
  for (const site of SITES) reachability.unreached(`${site}.au`, { startedAt: 60_000, now: 60_100 })
  expect(reachability.sitesLost(90_000)).toBe(MIN_SITES)
})

test('sites that were away while others answered say nothing until they have answered, or the network was away', () => {
  const reachability = new Reachability(0)
  const ask = (now: number) => {
    for (const site of SITES) reachability.unreached(site, { startedAt: now, now })
    return reachability.sitesLost(now + SILENT_MS)
  }
  ask(1_000)
  reachability.answered('mx.alive.dev', 2_000)
  expect(ask(3_000)).toBe(0)
  for (const site of SITES) reachability.answered(site, 40_000)
  expect(ask(41_000)).toBe(MIN_SITES)
  reachability.reset(80_000)
  expect(ask(81_000)).toBe(MIN_SITES)
})

test('a process that starts with a backlog lets everybody answer first', () => {
  const reachability = new Reachability(1_000_000)
  for (const site of SITES) reachability.unreached(site, { startedAt: 1_000_010, now: 1_000_020 })
  expect(reachability.sitesLost(1_000_020)).toBe(0)
})

test('sites that go away one by one over hours are away by themselves', () => {
  const reachability = new Reachability(0)
  for (const [n, site] of SITES.entries()) {
    const startedAt = n * 50_000
    reachability.unreached(site, { startedAt, now: startedAt + 100 })
    expect(reachability.sitesLost(startedAt + 40_000)).toBe(0)
  }
})

test('a clock that is set back does not keep what comes afterwards from counting', () => {
  const reachability = new Reachability(3_600_000)
  for (const site of SITES) reachability.unreached(site, { startedAt: 1_000, now: 1_100 })
  expect(reachability.sitesLost(40_000)).toBe(MIN_SITES)
})
