import { expect, test } from 'vitest'
import { startDnsServer } from '../../../test/harness/dns-server.ts'
import { createResolver, type ResolverOptions } from './resolver.ts'

async function start(options: ResolverOptions = {}) {
  const dns = await startDnsServer()
  return { dns, resolver: createResolver({ servers: [dns.address], ...options }) }
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

test('text is what can be kept and shown, whatever bytes a record has', async () => {
  const { dns, resolver } = await start()
  dns.set('example.com', { TXT: [['v=DMARC1;\u0000p=none', '\r\n\u0007']] })

  expect(await resolver.lookup('example.com', 'TXT')).toEqual({ kind: 'found', records: ['v=DMARC1; p=none   '] })
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
  const { dns, resolver } = await start(fault === 'silence' ? { timeoutMs: 60, tries: 1 } : {})
  dns.fault('example.com', fault)

  expect(await resolver.lookup('example.com', 'TXT')).toEqual({ kind: 'failed', reason })
})

test('where answers were quick, a slow one is waited for all the same', async () => {
  const { dns, resolver } = await start({ timeoutMs: 30_000, tries: 1 })
  for (let n = 0; n < 10; n++) await resolver.lookup(`quick${n}.example`, 'A')
  dns.set('slow.example', { A: ['192.0.2.1'] })
  dns.fault('slow.example', 'silence')

  const found = resolver.lookup('slow.example', 'A')
  await dns.asked('A slow.example')
  dns.fault('slow.example', null)

  expect(await found).toEqual({ kind: 'found', records: ['192.0.2.1'] })
})

test('a long answer is fetched over TCP', async () => {
  const { dns, resolver } = await start()
  const long = Array.from({ length: 10 }, () => 'x'.repeat(250))
  dns.set('example.com', { TXT: [long] })
  dns.fault('example.com', 'truncate')

  expect(await resolver.lookup('example.com', 'TXT')).toEqual({ kind: 'found', records: [long.join('')] })
})

test('no name server at all is a failure', async () => {
  const resolver = createResolver({ servers: ['127.0.0.1:1'] })

  expect(await resolver.lookup('example.com', 'A')).toMatchObject({ kind: 'failed' })
})
