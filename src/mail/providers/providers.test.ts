import { expect, test } from 'vitest'
import { builtInRules, type CeilingRule, ceilingsFor } from './ceilings.ts'
import { PROVIDERS, providerOf } from './providers.ts'
import { readCeilingFile, readRule } from './read-ceilings.ts'

test.each([
  [['gmail-smtp-in.l.google.com', 'alt1.gmail-smtp-in.l.google.com'], 'gmail'],
  [['aspmx.l.google.com', 'ASPMX2.GOOGLEMAIL.COM.'], 'gmail'],
  [['hotmail-com.olc.protection.outlook.com'], 'outlook'],
  [['example-com.mail.protection.outlook.com'], 'outlook'],
  [['mta5.am0.yahoodns.net', 'mta6.am0.yahoodns.net'], 'yahoo'],
  [['mx01.mail.icloud.com', 'mx02.mail.icloud.com'], 'icloud'],
  [['mx00.gmx.net', 'mx01.gmx.net'], 'gmx'],
  [['mxs.mail.ru'], 'mail.ru'],
  // One server of somebody else is enough.
  [['aspmx.l.google.com', 'mx.example.com'], null],
  [['aspmx.l.google.com', 'mx00.gmx.net'], null],
  // Whole labels: anybody can have the others.
  [['mx.notgoogle.com'], null],
  [['google.com.example.net'], null],
  [['mx.example.com'], null],
  [[], null],
])('%j are those of %s', (hosts, provider) => {
  expect(providerOf(hosts)).toBe(provider)
})

test('every provider can be found by each of its names, which have no dot at their ends, and no two share one', () => {
  for (const { name, mx } of PROVIDERS) for (const suffix of mx) expect(providerOf([`mx1.${suffix}`])).toBe(name)
  const all = PROVIDERS.flatMap(({ mx }) => mx)
  expect(all.filter((suffix) => /^\.|\.$|[^a-z0-9.-]/.test(suffix))).toEqual([])
  expect(new Set(all).size).toBe(all.length)
})

const file = (text: string) => readCeilingFile('/etc/postwren/ceilings.json', text)

test('what the program brings: connections, and messages for each of them', () => {
  const at = (provider: string) => ceilingsFor(builtInRules(20), { provider, site: 'mx.example.com' })
  expect(at('gmail')).toMatchObject({ connections: { value: 5 }, messages_per_connection: { value: 50 } })
  expect(at('outlook')).toMatchObject({ connections: { value: 5 }, messages_per_connection: { value: 50 } })
  expect(at('yahoo')).toMatchObject({ messages_per_connection: { value: 20 } })
  expect(at('icloud')).toMatchObject({ connections: { value: 5 }, messages_per_connection: { value: 10 } })
  expect(at('orange')).toMatchObject({
    connections: { value: 20, layer: 'everything', where: 'POSTWREN_DESTINATION_CONNECTIONS' },
    rate: { value: null, where: 'built in' },
  })
  expect(ceilingsFor(builtInRules(2), { provider: 'gmail' }).connections.value).toBe(2)
})

test('the most specific rule has its way, value by value, and each value knows where it is from', () => {
  const rules = [
    ...builtInRules(5),
    ...file(`[
      { "connections": 7, "connect_timeout": "10s" },
      { "provider": "gmail", "rate": "600/m" },
      { "domain": "Example.com", "tls": "enforced",
        "rate": "1/s" },
      { "provider": "gmail", "source": "192.0.2.1", "connections": 40 }
    ]`),
  ]
  const bound = ceilingsFor(rules, { provider: 'gmail', site: 'x', domain: 'example.com', source: '192.0.2.1' })
  expect(bound).toMatchObject({
    connections: at(40, 'provider gmail, source 192.0.2.1', 6),
    messages_per_connection: { value: 50, origin: 'built in', layer: 'provider gmail', where: 'built in' },
    rate: at(1, 'domain example.com', 5),
    tls: at('enforced', 'domain example.com', 4),
    connect_timeout: at(10, 'everything', 2),
    greeting_timeout: { value: 30, origin: 'built in', layer: 'everything', where: 'built in' },
    command_timeout: { value: 120, origin: 'built in', layer: 'everything', where: 'built in' },
    message_timeout: { value: 600, origin: 'built in', layer: 'everything', where: 'built in' },
  })
  expect(ceilingsFor(rules, { provider: 'gmail' }).rate).toMatchObject(at(10, 'provider gmail', 3))
  expect(ceilingsFor(rules, { site: 'mx.example.net' }).connections).toMatchObject(at(7, 'everything', 2))
})

const at = (value: unknown, layer: string, line: number) => ({
  value,
  origin: 'file',
  layer,
  where: `/etc/postwren/ceilings.json:${line}`,
})

test('among equals what is in the database counts', () => {
  const inDatabase: CeilingRule = readRule({ provider: 'gmail', site: null }, { connections: 12 })
  const rules = [inDatabase, ...builtInRules(5), ...file('[{ "provider": "gmail", "connections": 8 }]')]
  expect(ceilingsFor(rules, { provider: 'gmail' }).connections).toMatchObject({ value: 12, where: 'database' })
})

test.each([
  ['[\n{ "conections": 5 }]', '2: `conections` is not known; known are provider, '],
  ['[\n{ "provider": "gmail",\n "connections": 0 }]', '3: `connections` must be a whole number from 1 to 1000'],
  ['[{ "provider": "goggle", "connections": 1 }]', '1: `provider` must be one of gmail, '],
  ['[{ "domain": "*.example.com", "connections": 1 }]', '1: `domain` must be a domain like `example.com`'],
  ['[{ "domain": "com", "connections": 1 }]', '1: `domain` must be a domain'],
  ['[{ "site": "mx1.example.net, mx2.example.net", "connections": 1 }]', '1: `site` must be the name of a mail server'],
  [
    '[{ "provider": "gmail", "rate": "1/s" },\n{ "provider": "gmail", "rate": "2/s" }]',
    '2: `rate` is there twice for the same: also in line 1',
  ],
  ['[{ "rate": "fast" }]', '1: `rate` must be a number of messages in a second'],
  ['[{ "rate": "0/s" }]', '1: `rate` must be'],
  ['[{ "tls": "maybe" }]', '1: `tls` must be `opportunistic` or `enforced`'],
  ['[{ "message_timeout": "5s" }]', '1: `message_timeout` must be a time from 60s'],
  ['[{ "connections": [5] }]', '1: `connections` must be a text or a number'],
  ['[{ "provider": "gmail" }]', '1: it says nothing'],
  ['[{ "connections": 5, "connections": 6 }]', '1: `connections` is there twice'],
  ['{ "connections": 5 }', '1: it must be an array of objects'],
  ['[5]', '1: it must be an object'],
  ['[\n\n{ "connections": 5 ', '3: it ends too early'],
  ['[\n{ "connections": five }]', '2: this is no JSON'],
  ['[{ "connections": 5 }\n{ "connections": 5 }]', '2: a comma is missing'],
  ['[{ "connections" 5 }]', '1: a colon is missing after `connections`'],
  ['[{ "connections": 5 }] more', '1: there is more after the end'],
  ['['.repeat(1_000), '1: it is nested too deeply'],
  ['', '1: it ends too early'],
])('%s is a mistake, and it is said where', (text, message) => {
  expect(() => file(text)).toThrow(`has a mistake in /etc/postwren/ceilings.json:${message}`)
})
