import { expect, test } from 'vitest'
import { nextPace } from './controller.ts'
import { commonPace, sourcesAt } from './reach.ts'

const A = { source: '192.0.2.1', netblock: '192.0.2.0/24' }
const B = { source: '192.0.2.2', netblock: '192.0.2.0/24' }
const C = { source: '198.51.100.1', netblock: '198.51.100.0/24' }

/** As slow as half of what it was. */
function slowed(kind: 'source' | 'netblock' | 'site' | 'tenant', identity: string, { was, at = 0 } = { was: 4 }) {
  const bounds = { rate: null, connections: 5, observedRate: was }
  return { kind, identity, state: nextPace(null, { kind: 'throttled', startedAt: at }, { now: at, bounds }).state! }
}

test('sources that are all slowed send the sum of their rates, from when the first of them goes on', () => {
  const paces = [slowed('source', A.source), slowed('source', C.source, { was: 10, at: 60_000 })]

  expect(commonPace(paces, [A, C])).toEqual({ rate: 7, restUntil: 5_000 })
  expect(commonPace(paces, [C])).toEqual({ rate: 5, restUntil: 65_000 })
})

test('one that is not slowed sends as fast as it can, and so all of them together do', () => {
  expect(commonPace([slowed('source', A.source)], [A, B])).toBeNull()
  expect(commonPace([slowed('tenant', 'team')], [A])).toBeNull()
  expect(commonPace([slowed('netblock', A.netblock)], [A, B, C])).toBeNull()
})

test('a network, and the whole site, are one for all sources in it', () => {
  const both = [slowed('source', A.source), slowed('source', B.source)]

  expect(commonPace([slowed('netblock', A.netblock)], [A, B])).toMatchObject({ rate: 2 })
  expect(commonPace([...both, slowed('netblock', A.netblock, { was: 6 })], [A, B])).toMatchObject({ rate: 3 })
  expect(commonPace([...both, slowed('site', '')], [A, B])).toMatchObject({ rate: 2 })
  expect(commonPace([slowed('site', '')], [A, B, C])).toMatchObject({ rate: 2 })
})

test('mail leaves from the addresses of the settings; a relay of several has its own', () => {
  const file = { defaultPool: 'default', pools: [], rules: [], warmUpDomains: [] }
  const sources = [A, C].map(({ source }) => ({
    name: source,
    addresses: { v4: source },
    ehlo: 'a.test',
    warmUp: false,
  }))

  expect(sourcesAt('gmail', { SOURCES: { ...file, sources }, SOURCE_ADDRESS: {} })).toEqual([A, C])
  expect(sourcesAt('gmail', { SOURCES: null, SOURCE_ADDRESS: {} })).toEqual([
    { source: 'default', netblock: 'default' },
  ])
  expect(sourcesAt('route/backup', { SOURCES: { ...file, sources }, SOURCE_ADDRESS: {} })).toEqual([
    { source: 'route/backup', netblock: 'route/backup' },
  ])
})
