import { describe, expect, test } from 'vitest'
import { type App, startApp } from '../../../../test/harness/app.ts'
import { arrive, receivingTeam, written } from '../../../../test/harness/arriving.ts'
import { startDnsServer } from '../../../../test/harness/dns-server.ts'
import { createResolver } from '../../../adapters/dns/resolver.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { newId } from '../../../platform/ids.ts'
import { authenticationOf } from './authentication.ts'
import { SlowSlots } from './lookup-deadline.ts'
import { improveAuthentication } from './queries.ts'

const HOUR = 3_600

async function start() {
  const dns = await startDnsServer()
  const app = await startApp({ POSTWREN_DNS_SERVERS: dns.address })
  const { client, domain } = await receivingTeam(app, 'acme')
  for (const name of ['example.net', 'honest.example']) {
    dns.set(name, { TXT: [['v=spf1 ip4:192.0.2.1 -all']] })
    dns.set(`_dmarc.${name}`, { TXT: [['v=DMARC1; p=reject']] })
  }
  return {
    dns,
    app,
    client,
    receive: (from = 'ada@example.net') => arrive(app, written({ from }), { to: [`parts@${domain}`], from }),
    verdict: async () => (await client.get('/emails/receiving')).body.data[0].authentication,
    async after(seconds: number) {
      app.clock.advance(seconds)
      await app.runDueJobs()
    },
  }
}

/** What is planned for a message; other tests have messages in the same installation. */
const pending = (app: App, { message: id }: { message: string }) =>
  app.db.query(sql`select from jobs where name = 'received-emails.authenticate' and payload ->> 'id' = ${id}`)

test('what a name server did not tell is asked again, and the message can be read meanwhile', async () => {
  const { dns, app, client, receive, verdict, after } = await start()
  dns.fault('example.net', 'servfail')
  dns.fault('_dmarc.example.net', 'servfail')

  const answer = await receive()
  await app.runDueJobs()
  expect(await verdict()).toMatchObject({ spf: { result: 'temperror' }, dmarc: { result: 'temperror' } })
  expect((await client.get(`/emails/receiving/${answer.message}`)).body.text).toContain('Hi')

  dns.fault('_dmarc.example.net', null)
  await after(60)
  expect(await verdict()).toMatchObject({ spf: { result: 'temperror' } })
  dns.fault('example.net', null)
  await after(300)

  expect(await verdict()).toMatchObject({
    spf: { result: 'pass', domain: 'example.net' },
    dmarc: { result: 'pass', policy: 'reject' },
  })
  expect(await pending(app, answer)).toHaveLength(0)
})

test('what is known is not forgotten when fewer answer later', async () => {
  const { dns, app, receive, verdict, after } = await start()
  dns.fault('_dmarc.example.net', 'servfail')
  await receive()
  await app.runDueJobs()
  expect(await verdict()).toMatchObject({ spf: { result: 'pass' }, dmarc: { result: 'temperror' } })

  dns.fault('example.net', 'servfail')
  await after(60)

  expect(await verdict()).toMatchObject({ spf: { result: 'pass' }, dmarc: { result: 'temperror' } })
})

test('of a message that is deleted while name servers are asked nothing is noted, not even who wrote it', async () => {
  const { app, client, receive } = await start()
  const { message: id } = await receive()
  const sender = { address: 'ada@example.net', isProven: true }
  const noted = { authentication: {}, temporary: 0, sender }
  const known = () => app.db.query(sql`select address from known_senders where team_id = ${client.team}`)

  expect(await improveAuthentication(app.db, { team: client.team, id: newId(app.clock) }, noted)).toBe(false)
  expect(await known()).toEqual([])
  expect(await improveAuthentication(app.db, { team: client.team, id }, noted)).toBe(true)
  expect(await known()).toEqual([{ address: sender.address }])
})

test('nobody is asked for ever', async () => {
  const { dns, app, receive, verdict, after } = await start()
  dns.fault('example.net', 'refused')
  dns.fault('_dmarc.example.net', 'refused')
  const answer = await receive()
  await app.runDueJobs()

  for (let time = 0; time < 5; time++) {
    expect(await pending(app, answer)).toHaveLength(1)
    await after(7 * HOUR)
  }

  expect(await pending(app, answer)).toHaveLength(0)
  expect(await verdict()).toMatchObject({ spf: { result: 'temperror' } })
})

test('a message that is gone is not asked about', async () => {
  const { dns, app, receive, after } = await start()
  dns.fault('example.net', 'servfail')
  const answer = await receive()
  await app.runDueJobs()

  await app.db.query(sql`delete from received_emails where id = ${answer.message}`)
  await after(60)

  expect(await pending(app, answer)).toHaveLength(0)
})

const message = (from: string) => ({
  raw: written({ from }),
  clientAddress: '192.0.2.1',
  helo: 'mx.example.net',
  envelopeFrom: from,
  from,
})

test('messages from domains that do not answer are let go, and others are judged beside them', async () => {
  const { dns } = await start()
  const resolver = createResolver({ servers: [dns.address], timeoutMs: 5_000, tries: 1 })
  // Whoever answers has two seconds for it: how quickly that goes is not the point here.
  const deadline = { ms: 5_000, slow: new SlowSlots({ afterMs: 2_000, slots: 1 }) }
  const ask = (from: string) => authenticationOf(message(from), { resolver, hostname: 'mx.test', deadline })
  for (let n = 0; n < 20; n++) dns.fault(`evil${n}.example`, 'silence')

  // The first of them waits for as long as it may. The others have no place to wait in.
  const first = ask('a@evil0.example')
  const slow = await Promise.all(Array.from({ length: 19 }, (_, n) => ask(`a@evil${n + 1}.example`)))
  const honest = await ask('a@honest.example')

  expect(slow.map(({ spf }) => spf.result)).toEqual(Array(19).fill('temperror'))
  expect(honest).toMatchObject({ spf: { result: 'pass' }, dmarc: { result: 'pass' } })
  expect(await first).toMatchObject({ spf: { result: 'temperror' } })
})

test('a message with a thousand signatures is asked about as one with ten', async () => {
  const { dns } = await start()
  const resolver = createResolver({ servers: [dns.address], tries: 1 })
  const headers = Array.from(
    { length: 1_000 },
    (_, n) => `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=d${n}.example; s=key; h=from; bh=AAAA; b=AAAA`,
  )

  const { dkim, spf } = await authenticationOf(
    { ...message('a@honest.example'), raw: written({ from: 'a@honest.example', headers }) },
    { resolver, hostname: 'mx.test', deadline: { ms: 10_000 } },
  )

  expect(dkim).toHaveLength(10)
  expect(spf.result).toBe('pass')
  expect(dns.queries.filter((query) => query.includes('_domainkey')).length).toBeLessThanOrEqual(10)
})

describe('SPF ptr (RFC 7208, 5.5)', () => {
  const CLIENT = '1.2.0.192.in-addr.arpa'

  async function named(record: string) {
    const dns = await startDnsServer()
    const resolver = createResolver({ servers: [dns.address], tries: 1 })
    dns.set('named.example', { TXT: [[record]] })
    return {
      dns,
      ask: async (clientAddress = '192.0.2.1') => {
        const options = { resolver, hostname: 'mx.test', deadline: { ms: 10_000 } }
        return (await authenticationOf({ ...message('a@named.example'), clientAddress }, options)).spf
      },
    }
  }
  const PASS = { result: 'pass', domain: 'named.example' }
  const FAIL = { result: 'fail', domain: 'named.example' }

  test('a client is known by its name', async () => {
    const { dns, ask } = await named('v=spf1 ptr -all')
    dns.set(CLIENT, { PTR: ['mail.named.example'] })
    dns.set('mail.named.example', { A: ['192.0.2.1'] })

    expect(await ask()).toEqual(PASS)
    expect(await ask('::ffff:192.0.2.1')).toEqual(PASS)
  })

  test('by the tenth of its names, and not by the eleventh', async () => {
    const { dns, ask } = await named('v=spf1 ptr -all')
    dns.set(CLIENT, { PTR: Array.from({ length: 12 }, (_, n) => `mail${n}.named.example`) })
    for (const n of [10, 11]) dns.set(`mail${n}.named.example`, { A: ['192.0.2.1'] })
    expect(await ask()).toEqual(FAIL)

    dns.set('mail9.named.example', { A: ['192.0.2.1'] })

    expect(await ask()).toEqual(PASS)
    expect(dns.queries.filter((query) => /^A mail1[01]/.test(query))).toEqual([])
  })

  test('a name that points elsewhere, or that nobody answers for, is none', async () => {
    const { dns, ask } = await named('v=spf1 ptr -all')
    dns.set(CLIENT, { PTR: ['broken.named.example', 'mail.named.example'] })
    dns.fault('broken.named.example', 'servfail')
    dns.set('mail.named.example', { A: ['192.0.2.2'] })
    expect(await ask()).toEqual(FAIL)

    dns.set('mail.named.example', { A: ['192.0.2.1'] })

    expect(await ask()).toEqual(PASS)
  })

  test('without an answer about the address it does not match', async () => {
    const { dns, ask } = await named('v=spf1 ptr -all')
    dns.fault(CLIENT, 'servfail')

    expect(await ask()).toEqual(FAIL)
  })

  test('a client of IPv6, and one whose zone is delegated by an alias', async () => {
    const { dns, ask } = await named('v=spf1 ptr:hosts.example -all')
    dns.set(`1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`, { PTR: ['six.hosts.example'] })
    dns.set('six.hosts.example', { AAAA: ['2001:db8::1'] })
    dns.set(CLIENT, { CNAME: '1.0-25.2.0.192.in-addr.arpa' })
    dns.set('1.0-25.2.0.192.in-addr.arpa', { PTR: ['other.example', 'four.hosts.example'] })
    dns.set('four.hosts.example', { A: ['192.0.2.1'] })

    expect(await ask('2001:db8::1')).toEqual(PASS)
    expect(await ask('192.0.2.1')).toEqual(PASS)
  })

  test('the name stands in macros, and the hosts file has no say', async () => {
    const { dns, ask } = await named('v=spf1 exists:%{p}.allowed.example -all')
    dns.set(CLIENT, { PTR: ['a.other.example', 'mail.named.example'] })
    for (const name of ['a.other.example', 'mail.named.example']) dns.set(name, { A: ['192.0.2.1'] })
    dns.set('mail.named.example.allowed.example', { A: ['127.0.0.2'] })
    expect(await ask()).toEqual(PASS)

    expect(await ask('127.0.0.1')).toEqual(FAIL)
    expect(dns.queries).toContain('PTR 1.0.0.127.in-addr.arpa')
  })
})
