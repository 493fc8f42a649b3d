import { expect, test } from 'vitest'
import { startDnsServer } from '../../../test/harness/dns-server.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { hostAddresses } from './host-addresses.ts'
import { createResolver } from './resolver.ts'

async function start() {
  const dns = await startDnsServer()
  return { dns, addressesOf: hostAddresses(createResolver({ servers: [dns.address], timeoutMs: 3_000, tries: 1 })) }
}

test('a host has the addresses of both kinds, by whatever name', async () => {
  const { dns, addressesOf } = await start()
  dns.set('example.com', { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] })
  dns.set('alias.example.com', { CNAME: 'example.com' })

  expect(await addressesOf('alias.example.com')).toEqual(['192.0.2.1', '2001:db8::1'])
  expect(await addressesOf('nowhere.example')).toEqual([])
})

test('one kind is enough, and that nobody answers is no answer', async () => {
  const { dns, addressesOf } = await start()
  dns.set('example.com', { A: ['192.0.2.1'] })
  dns.fault('AAAA example.com', 'servfail')
  dns.fault('example.net', 'servfail')

  expect(await addressesOf('example.com')).toEqual(['192.0.2.1'])
  await expect(addressesOf('example.net')).rejects.toThrow('SERVFAIL')
})

test('a private address is refused, whoever gave it', async () => {
  const { dns, addressesOf } = await start()
  dns.set('inside.example', { A: ['127.0.0.1', '10.0.0.1'] })
  const http = new OutgoingHttp({ allowPrivateAddresses: false, addressesOf })

  const outcome = await http.send({ method: 'GET', url: 'https://inside.example/', timeoutMs: 30_000, maxBytes: 10 })

  expect(outcome).toEqual({ kind: 'refused', reason: 'inside.example is not a public address' })
})
