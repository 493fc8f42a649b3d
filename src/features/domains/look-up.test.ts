import { describe, expect, test } from 'vitest'
import { startDnsServer } from '../../../test/harness/dns-server.ts'
import { createResolver, type ResolverOptions } from '../../adapters/dns/resolver.ts'
import { lookUp } from './look-up.ts'
import { neededRecords } from './records.ts'

const installation = { mailHost: 'mx.postwren.test', webHost: 'post.test', spf: 'a:mx.postwren.test ip4:192.0.2.1' }
const KEY = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA'

async function start(patience: Pick<ResolverOptions, 'timeoutMs' | 'tries'> = {}) {
  const dns = await startDnsServer()
  const resolver = createResolver({ servers: [dns.address], ...patience })
  const records = neededRecords(
    {
      id: '01890000-0000-7000-8000-000000000001',
      name: 'example.com',
      return_path: 'send',
      tracking_subdomain: 'links',
      sending: true,
      receiving: true,
      receiving_proof: 'dkim',
      keys: [{ selector: 'postwren', public_record: `v=DKIM1; k=rsa; p=${KEY}`, state: 'active' }],
    },
    installation,
  )
  const look = (key: string) => lookUp(resolver, records.find((record) => record.key === key)!)
  return { dns, look }
}

describe('the MX record', () => {
  test('may be one of several, in any case', async () => {
    const { dns, look } = await start()
    dns.set('send.example.com', {
      MX: [
        { exchange: 'other.example.net', preference: 5 },
        { exchange: 'MX.Postwren.test', preference: 20 },
      ],
    })

    expect(await look('SPF MX')).toBe('right')
  })

  test('that is missing, elsewhere or of another host is wrong', async () => {
    const { dns, look } = await start()
    dns.set('example.com', { MX: [{ exchange: 'other.example.net', preference: 10 }] })

    expect(await look('Receiving MX')).toBe('wrong')
    expect(await look('SPF MX')).toBe('wrong')
  })

  test.each(['servfail', 'silence'] as const)('that nobody answers for is unknown: %s', async (fault) => {
    const { dns, look } = await start({ timeoutMs: 60, tries: 1 })
    dns.fault('send.example.com', fault)

    expect(await look('SPF MX')).toBe('unknown')
  })
})

describe('the SPF record', () => {
  test.each([
    ['right', ['v=spf1 a:mx.postwren.test ip4:192.0.2.1 ~all']],
    ['right', ['v=spf1 include:_spf.example.net ip4:192.0.2.1 +a:MX.postwren.test -all']],
    ['right', ['some other text', 'V=SPF1  a:mx.postwren.test   ip4:192.0.2.1']],
    ['wrong', ['v=spf1 a:mx.postwren.test ~all']],
    ['wrong', ['v=spf1 -all a:mx.postwren.test ip4:192.0.2.1']],
    ['wrong', ['v=spf1 -a:mx.postwren.test ip4:192.0.2.1 ~all']],
    ['wrong', ['v=spf1 a:mx.postwren.test ip4:192.0.2.1 ~all', 'v=spf1 mx ~all']],
    ['wrong', ['v=spf10 a:mx.postwren.test ip4:192.0.2.1 ~all']],
    ['wrong', ['a:mx.postwren.test ip4:192.0.2.1']],
  ] as const)('is %s as %j', async (finding, texts) => {
    const { dns, look } = await start()
    dns.set('send.example.com', { TXT: texts.map((text) => [text]) })

    expect(await look('SPF TXT')).toBe(finding)
  })
})

describe('the DKIM record', () => {
  test.each([
    ['right', [`v=DKIM1; k=rsa; p=${KEY}`]],
    ['right', [`v=DKIM1; k=rsa; p=${KEY.slice(0, 20)}`, KEY.slice(20)]],
    ['right', [`p=${KEY}`]],
    ['right', [`k=rsa;t=s; p = ${KEY.slice(0, 9)} ${KEY.slice(9)};`]],
    ['wrong', ['v=DKIM1; k=rsa; p=']],
    ['wrong', [`v=DKIM1; k=rsa; p=${KEY}A`]],
    ['wrong', ['v=DKIM1']],
  ] as const)('is %s as %j', async (finding, strings) => {
    const { dns, look } = await start()
    dns.set('postwren._domainkey.example.com', { TXT: [[...strings]] })

    expect(await look('DKIM postwren')).toBe(finding)
  })
})

test('the tracking record is a CNAME to where the links are served', async () => {
  const { dns, look } = await start()
  dns.set('post.test', { A: ['127.0.0.1'] })
  dns.set('links.example.com', { A: ['127.0.0.1'] })
  expect(await look('Tracking CNAME')).toBe('wrong')

  dns.set('links.example.com', { CNAME: 'post.test' })
  expect(await look('Tracking CNAME')).toBe('right')
})
