import { expect, test } from 'vitest'
import { startDnsServer } from '../../../test/harness/dns-server.ts'
import { createResolver } from './resolver.ts'

async function start() {
  const dns = await startDnsServer()
  return { dns, resolver: createResolver({ servers: [dns.address], timeoutMs: 60, tries: 1 }) }
}

test('records of each type are found', async () => {
  const { dns, resolver } = await start()
  dns.set('example.com', {
    A: ['192.0.2.1', '192.0.2.2'],
    AAAA: ['2001:db8::1'],
    MX: [{ exchange: 'mx.example.com', preference: 10 }],
    TXT: [['v=spf1 ', '-all'], ['second']],
  })
  dns.set('alias.example.com', { CNAME: 'example.com' })

  expect(await resolver.lookup('example.com', 'A')).toEqual({ kind: 'found', records: ['192.0.2.1', '192.0.2.2'] })
  expect(await resolver.lookup('example.com', 'AAAA')).toEqual({ kind: 'found', records: ['2001:db8::1'] })
  expect(await resolver.lookup('example.com', 'MX')).toEqual({
    kind: 'found',
    records: [{ exchange: 'mx.example.com', preference: 10 }],
  })
  expect(await resolver.lookup('example.com', 'TXT')).toEqual({ kind: 'found', records: ['v=spf1 -all', 'second'] })
  expect(await resolver.lookup('alias.example.com', 'CNAME')).toEqual({ kind: 'found', records: ['example.com'] })
  expect(await resolver.lookup('alias.example.com', 'AAAA')).toEqual({ kind: 'found', records: ['2001:db8::1'] })
})

test('a name that does not exist and a name without such a record are told apart', async () => {
  const { dns, resolver } = await start()
  dns.set('example.com', { A: ['192.0.2.1'] })

  expect(await resolver.lookup('nowhere.example', 'A')).toEqual({ kind: 'none', reason: 'no_such_name' })
  expect(await resolver.lookup('example.com', 'TXT')).toEqual({ kind: 'none', reason: 'no_such_record' })
  expect(await resolver.lookup(`${'x'.repeat(64)}.example`, 'A')).toEqual({ kind: 'none', reason: 'no_such_name' })
})

test.each([
  ['servfail', 'the name server could not answer (SERVFAIL)'],
  ['refused', 'the name server refused to answer'],
  ['silence', 'no name server answered in time'],
] as const)('%s is a failure, not an answer', async (fault, reason) => {
  const { dns, resolver } = await start()
  dns.fault('example.com', fault)

  expect(await resolver.lookup('example.com', 'TXT')).toEqual({ kind: 'failed', reason })
})

test('a long answer is fetched over TCP', async () => {
  const { dns, resolver } = await start()
  const long = Array.from({ length: 10 }, () => 'x'.repeat(250))
  dns.set('example.com', { TXT: [long] })
  dns.fault('example.com', 'truncate')

  expect(await resolver.lookup('example.com', 'TXT')).toEqual({ kind: 'found', records: [long.join('')] })
})

test('no name server at all is a failure', async () => {
  const resolver = createResolver({ servers: ['127.0.0.1:1'], timeoutMs: 60, tries: 1 })

  expect(await resolver.lookup('example.com', 'A')).toMatchObject({ kind: 'failed' })
})
