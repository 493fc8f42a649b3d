import { expect, test } from 'vitest'
import { fixedClock } from '../../../test/harness/clock.ts'
import { startDnsServer } from '../../../test/harness/dns-server.ts'
import { type MailExchangerOptions, mailExchanger } from './mail-exchanger.ts'
import { createResolver } from './resolver.ts'

async function start(options: Omit<MailExchangerOptions, 'clock'> = {}) {
  const dns = await startDnsServer()
  const clock = fixedClock()
  const resolver = createResolver({ servers: [dns.address] })
  const exchanger = mailExchanger(resolver, { allowPrivateAddresses: true, random: () => 0, clock, ...options })
  return { dns, clock, exchanger }
}

const names = (hosts: Awaited<ReturnType<ReturnType<typeof mailExchanger>['hostsFor']>>) =>
  hosts.kind === 'found' ? hosts.hosts.map(({ host }) => host) : hosts.kind

test('hosts come in the order of their preference, each with its addresses, IPv4 first', async () => {
  const draws = [0.9, 0.1]
  const { dns, exchanger } = await start({ random: () => draws.shift()! })
  dns.set('example.com', {
    MX: [
      { exchange: 'mx2.example.com', preference: 20 },
      { exchange: 'mx1.example.com', preference: 10 },
    ],
  })
  dns.set('mx1.example.com', { A: ['10.0.0.1', '10.0.0.2'], AAAA: ['fd00::1'] })
  dns.set('mx2.example.com', { CNAME: 'cluster.example.com' })
  dns.set('cluster.example.com', { A: ['10.0.0.3'] })

  expect(await exchanger.hostsFor('example.com')).toEqual({
    kind: 'found',
    name: 'mx1.example.com',
    provider: null,
    hosts: [
      { host: 'mx1.example.com', address: '10.0.0.1', port: 25, secure: false },
      { host: 'mx1.example.com', address: '10.0.0.2', port: 25, secure: false },
      { host: 'mx1.example.com', address: 'fd00::1', port: 25, secure: false },
      { host: 'mx2.example.com', address: '10.0.0.3', port: 25, secure: false },
    ],
  })
})

test('hosts of equal preference take turns, also when they come from the cache', async () => {
  const draws = [0.1, 0.9, 0.9, 0.1]
  const { dns, exchanger } = await start({ random: () => draws.shift()! })
  dns.set('example.com', {
    MX: [
      { exchange: 'a.example.com', preference: 5 },
      { exchange: 'b.example.com', preference: 5 },
    ],
  })
  dns.set('a.example.com', { A: ['10.0.0.1'] })
  dns.set('b.example.com', { A: ['10.0.0.2'] })

  // The name server may give the two in either order, so only the turning round is certain.
  const first = names(await exchanger.hostsFor('example.com'))
  const second = names(await exchanger.hostsFor('example.com'))

  expect([...first].sort()).toEqual(['a.example.com', 'b.example.com'])
  expect(second).toEqual([...first].reverse())
})

test('of a hundred hosts the ten best are asked for', async () => {
  const { dns, exchanger } = await start()
  const hosts = Array.from({ length: 100 }, (_, index) => ({
    exchange: `mx${index}.example.com`,
    preference: 100 - index,
  }))
  dns.set('example.com', { MX: hosts })
  for (const { exchange } of hosts) dns.set(exchange, { A: ['10.0.0.1'] })

  const found = names(await exchanger.hostsFor('example.com'))

  expect(found).toEqual(Array.from({ length: 10 }, (_, index) => `mx${99 - index}.example.com`))
})

test('a domain without MX records is its own mail server', async () => {
  const { dns, exchanger } = await start()
  dns.set('example.com', { A: ['10.0.0.1'], AAAA: ['fd00::1'] })

  expect(await exchanger.hostsFor('example.com')).toMatchObject({
    kind: 'found',
    hosts: [
      { host: 'example.com', address: '10.0.0.1' },
      { host: 'example.com', address: 'fd00::1' },
    ],
  })
})

test('a domain that does not exist bounces', async () => {
  const { exchanger } = await start()

  for (const domain of ['nowhere.example', '127.0.0.1', '2130706433', 'not a domain', '']) {
    expect(await exchanger.hostsFor(domain)).toMatchObject({
      kind: 'no_such_domain',
      outcome: {
        kind: 'bounced',
        reply: `550 5.1.2 The domain ${domain} does not exist`,
        bounce: { type: 'Permanent', subType: 'General' },
      },
    })
  }
})

test('a domain that says it takes no mail bounces', async () => {
  const { dns, exchanger } = await start()
  dns.set('example.com', { A: ['10.0.0.1'], MX: [{ exchange: '.', preference: 0 }] })

  expect(await exchanger.hostsFor('example.com')).toMatchObject({
    kind: 'null_mx',
    outcome: { kind: 'bounced', reply: expect.stringContaining('5.1.10'), bounce: { type: 'Permanent' } },
  })
})

test('mail servers that have no address bounce, but not for good', async () => {
  const { dns, exchanger } = await start()
  dns.set('example.com', { MX: [{ exchange: 'gone.example.com', preference: 0 }] })
  dns.set('empty.example', {})

  for (const domain of ['example.com', 'empty.example']) {
    expect(await exchanger.hostsFor(domain)).toMatchObject({
      kind: 'no_address',
      outcome: { kind: 'bounced', reply: expect.stringContaining('5.4.4'), bounce: { type: 'Undetermined' } },
    })
  }
})

test.each(['MX example.com', 'mx.example.com'])('a failing look-up of %s waits', async (query) => {
  const { dns, exchanger } = await start()
  dns.set('example.com', { MX: [{ exchange: 'mx.example.com', preference: 0 }] })
  dns.fault(query, 'servfail')

  expect(await exchanger.hostsFor('example.com')).toMatchObject({
    kind: 'failed',
    outcome: { kind: 'deferred', reply: expect.stringContaining('SERVFAIL'), isThrottled: false },
  })
})

test('one host that cannot be looked up does not hide the others', async () => {
  const { dns, exchanger } = await start()
  dns.set('example.com', {
    MX: [
      { exchange: 'mx1.example.com', preference: 1 },
      { exchange: 'mx2.example.com', preference: 2 },
    ],
  })
  dns.fault('mx1.example.com', 'servfail')
  dns.set('mx2.example.com', { A: ['10.0.0.2'] })

  expect(names(await exchanger.hostsFor('example.com'))).toEqual(['mx2.example.com'])
})

test('private addresses are left out, and a domain that has no others waits', async () => {
  const { dns, exchanger } = await start({ allowPrivateAddresses: false })
  dns.set('mixed.example', { A: ['10.0.0.1', '8.8.4.4'], AAAA: ['::1', 'fe80::1'] })
  dns.set('private.example', { A: ['127.0.0.1'], AAAA: ['::ffff:10.0.0.1'] })

  expect(await exchanger.hostsFor('mixed.example')).toMatchObject({ kind: 'found', hosts: [{ address: '8.8.4.4' }] })
  expect(await exchanger.hostsFor('private.example')).toMatchObject({
    kind: 'private_address',
    outcome: { kind: 'deferred' },
  })
})

test('link-local addresses are left out also where private ones are allowed', async () => {
  const { dns, exchanger } = await start({ allowPrivateAddresses: true })
  dns.set('mixed.example', { A: ['169.254.169.254', '10.0.0.1'], AAAA: ['fe80::1', '::ffff:169.254.169.254'] })
  dns.set('metadata.example', { A: ['169.254.169.254'] })

  expect(await exchanger.hostsFor('mixed.example')).toMatchObject({ kind: 'found', hosts: [{ address: '10.0.0.1' }] })
  expect(await exchanger.hostsFor('metadata.example')).toMatchObject({ kind: 'private_address' })
})

test('an internationalised domain is looked up in its ASCII form', async () => {
  const { dns, exchanger } = await start()
  dns.set('xn--bcher-kva.example', { A: ['10.0.0.1'] })

  expect(names(await exchanger.hostsFor('Bücher.example'))).toEqual(['xn--bcher-kva.example'])
})

test('answers are kept for five minutes, and one look-up serves everybody who asks meanwhile', async () => {
  const { dns, clock, exchanger } = await start()
  dns.set('example.com', { A: ['10.0.0.1'] })

  await Promise.all([exchanger.hostsFor('example.com'), exchanger.hostsFor('EXAMPLE.com')])
  await exchanger.hostsFor('example.com')
  expect(dns.queries.filter((query) => query === 'MX example.com')).toHaveLength(1)

  clock.advance(301)
  await exchanger.hostsFor('example.com')
  expect(dns.queries.filter((query) => query === 'MX example.com')).toHaveLength(2)
})

test('failures are forgotten sooner', async () => {
  const { dns, clock, exchanger } = await start()
  dns.fault('MX example.com', 'servfail')
  expect(names(await exchanger.hostsFor('example.com'))).toBe('failed')
  dns.fault('MX example.com', null)
  dns.set('example.com', { A: ['10.0.0.1'] })

  expect(names(await exchanger.hostsFor('example.com'))).toBe('failed')
  clock.advance(31)

  expect(names(await exchanger.hostsFor('example.com'))).toEqual(['example.com'])
})

test('the cache does not grow without bounds', async () => {
  const { dns, exchanger } = await start({ maxCachedDomains: 2 })

  for (const domain of ['a.example', 'b.example', 'c.example', 'a.example']) await exchanger.hostsFor(domain)

  expect(dns.queries.filter((query) => query === 'MX a.example')).toHaveLength(2)
})
