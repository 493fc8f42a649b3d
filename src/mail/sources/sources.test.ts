import { expect, test } from 'vitest'
import { readSourceFile } from './read-sources.ts'
import { poolFor, preferenceOf, warmsUpDomain } from './sources.ts'

const TEAM = '018f0000-0000-7000-8000-000000000001'

const addressesOf = (text: string) => {
  if (!/^[\d.]+$/.test(text)) throw new Error(`must be an address, not \`${text}\``)
  return { v4: text }
}
const read = (file: unknown) =>
  readSourceFile('s.json', typeof file === 'string' ? file : JSON.stringify(file, null, 1), addressesOf)

const SOURCES = [
  { name: 'a1', address: '192.0.2.1', ehlo: 'a1.example.com', warm_up: true },
  { name: 'a2', address: '192.0.2.2', ehlo: 'A2.example.com' },
]
const FILE = {
  sources: SOURCES,
  pools: [
    { name: 'small', sources: { a1: 1 } },
    { name: 'large', sources: { a1: 1, a2: 3 } },
  ],
  rules: [
    { team: TEAM, stream: 'broadcast', pool: 'large' },
    { domain: 'Example.org', pool: 'large' },
    { tag: 'category=receipt', pool: 'large' },
    { tag: 'bulk', pool: 'large' },
  ],
  default: 'small',
  warm_up_domains: ['example.net'],
}

const MAIL = {
  team: '018f0000-0000-7000-8000-000000000002',
  domain: 'example.com',
  stream: 'single',
  tags: [],
} as const

test('the first rule that fits names the pool, by team, domain, stream and tag; otherwise it is the default', () => {
  const settings = read(FILE)
  const poolOf = (mail: object) => poolFor(settings, { ...MAIL, ...mail }).name
  expect(poolOf({})).toBe('small')
  expect(poolOf({ team: TEAM })).toBe('small')
  expect(poolOf({ team: TEAM, stream: 'broadcast' })).toBe('large')
  expect(poolOf({ domain: 'example.org' })).toBe('large')
  expect(poolOf({ tags: [{ name: 'category', value: 'receipt' }] })).toBe('large')
  expect(poolOf({ tags: [{ name: 'category', value: 'other' }] })).toBe('small')
  expect(poolOf({ tags: [{ name: 'bulk', value: 'any' }] })).toBe('large')
  expect(warmsUpDomain(settings, 'example.net')).toBe(true)
  expect(warmsUpDomain(settings, 'example.org')).toBe(false)
})

test('sources share mail by their weights, a mail keeps its source, and what one cannot take the others share', () => {
  const pool = {
    name: 'p',
    members: [
      { source: 'a1', weight: 1 },
      { source: 'a2', weight: 3 },
      { source: 'a3', weight: 6 },
      { source: 'spare', weight: 0 },
    ],
  }
  const orders = Array.from({ length: 10_000 }, (_, n) => preferenceOf(pool, `mail-${n}`))
  const share = (index: number, name: string, of = orders) =>
    of.filter((order) => order[index] === name).length / of.length
  expect(share(0, 'a1')).toBeCloseTo(0.1, 1)
  expect(share(0, 'a2')).toBeCloseTo(0.3, 1)
  expect(share(0, 'a3')).toBeCloseTo(0.6, 1)
  expect(share(3, 'spare')).toBe(1)
  expect(preferenceOf(pool, 'mail-7')).toEqual(orders[7])
  const withoutA3 = orders.filter(([first]) => first === 'a3')
  expect(share(1, 'a2', withoutA3)).toBeCloseTo(0.75, 1)
})

test('without pools all sources are one, and a file says as little as it has to', () => {
  const settings = read({ sources: SOURCES })
  expect(poolFor(settings, MAIL)).toEqual({
    name: 'default',
    members: [
      { source: 'a1', weight: 1 },
      { source: 'a2', weight: 1 },
    ],
  })
  expect(settings).toMatchObject({
    warmUpDomains: [],
    sources: [{ warmUp: true }, { warmUp: false, ehlo: 'a2.example.com' }],
  })
  expect(read({ sources: SOURCES, warm_up_domains: true }).warmUpDomains).toBe('all')
})

test.each([
  ['{', 's.json:1: it ends too early'],
  [[], 's.json:1: it must be an object'],
  [{}, '`sources` must have at least one'],
  [
    { sources: [], pool: [] },
    's.json:3: `pool` is not known; known are sources, pools, rules, default, warm_up_domains',
  ],
  [{ sources: [{ name: 'a' }] }, 's.json:3: `ehlo` is missing'],
  [{ sources: [{ ...SOURCES[0], name: 'a b' }] }, 's.json:4: `name` must be letters'],
  [{ sources: [{ ...SOURCES[0], address: 'x' }] }, 's.json:5: `address` must be an address, not `x`'],
  [{ sources: [{ ...SOURCES[0], ehlo: 'localhost' }] }, 's.json:6: `ehlo` must be a host name'],
  [{ sources: [{ ...SOURCES[0], warm_up: 1 }] }, 's.json:7: `warm_up` must be true or false'],
  [{ sources: [SOURCES[0], SOURCES[0]] }, '`name` a1 is there twice'],
  [{ sources: [SOURCES[0], { ...SOURCES[0], name: 'b' }] }, "`address` 192.0.2.1 is another source's"],
  [{ ...FILE, pools: [{ name: 'p', sources: { a9: 1 } }] }, '`a9` is no source'],
  [{ ...FILE, pools: [{ name: 'p', sources: { a1: -1 } }] }, '`a1` must have a whole number'],
  [{ ...FILE, default: undefined }, '`default` is missing'],
  [{ ...FILE, default: 'p' }, '`default` must be the name of a pool: small, large'],
  [{ ...FILE, rules: [{ pool: 'p' }] }, '`pool` must be the name of a pool'],
  [{ ...FILE, rules: [{ team: 'acme', pool: 'small' }] }, '`team` must be the id of a team'],
  [{ ...FILE, rules: [{ stream: 'bulk', pool: 'small' }] }, '`stream` must be `single` or `broadcast`'],
  [{ ...FILE, rules: [{ tag: '=x', pool: 'small' }] }, '`tag` must be a name'],
  [{ ...FILE, warm_up_domains: ['x y'] }, '`warm_up_domains` must be a domain'],
])('a mistake is one line that names file, line and key: %j', (file, message) => {
  expect(() => read(file)).toThrow(message)
})
