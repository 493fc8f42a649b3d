import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { startDnsServer } from '../../../../test/harness/dns-server.ts'
import { addVerifiedDomain, emptyLedger, readEmail, sendEmail } from '../../../../test/harness/emails.ts'
import { CERTIFICATE, type MailServerOptions } from '../../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../../test/harness/mail-server.ts'
import { startPolicyServer } from '../../../../test/harness/policy-server.ts'
import { mailExchanger } from '../../../adapters/dns/mail-exchanger.ts'
import { createResolver } from '../../../adapters/dns/resolver.ts'
import { SmtpSender } from '../../../adapters/smtp-client/sender.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { systemClock } from '../../../platform/clock.ts'
import { directResolver, type TlsPolicies } from '../../emails/delivery/transport/destination-resolvers.ts'
import { StsPolicies } from './policies.ts'

const DOMAIN = 'sink.dev'
const policy = (mode: string, ...mx: string[]) =>
  ['version: STSv1', `mode: ${mode}`, ...mx.map((name) => `mx: ${name}`), 'max_age: 604800', ''].join('\n')

/** Direct delivery to a domain with a policy: its name server, its web server, its mail server (`mail.test`). */
async function startWorld({
  server: options = {},
  domain = DOMAIN,
  certificateName,
}: {
  server?: MailServerOptions
  domain?: string
  certificateName?: string
} = {}) {
  const dns = await startDnsServer()
  const server = await startMailServer(options)
  const web = await startPolicyServer(domain, certificateName === undefined ? {} : { certificateName })
  const resolver = createResolver({ servers: [dns.address], timeoutMs: 3_000, tries: 1 })
  const exchanger = mailExchanger(resolver, { port: server.port, allowPrivateAddresses: true, clock: systemClock })
  let policies: StsPolicies
  const late: TlsPolicies = { find: (name) => policies.find(name), observe: (...seen) => policies.observe(...seen) }
  const sender = new SmtpSender({ heloName: 'us.test', clock: systemClock, trustedCertificates: [CERTIFICATE] })
  const app = await startApp(
    { POSTWREN_DELIVERY: 'direct', POSTWREN_DNS_SERVERS: dns.address },
    { router: directResolver(exchanger, late), sender },
  )
  const { db, log, metrics } = app.services
  const anotherNode = () => new StsPolicies({ db, log, metrics, resolver, http: web.http, port: web.port })
  policies = anotherNode()
  await emptyLedger(app)
  await db.query(sql.write`delete from mta_sts_policies`)
  const acme = await app.as('acme')
  const name = `d-${Math.random().toString(36).slice(2)}.dev`
  await addVerifiedDomain(app, acme, name)
  dns.set(domain, { MX: [{ exchange: 'mail.test', preference: 10 }] })
  dns.set('mail.test', { A: ['127.0.0.1'] })
  const publish = (id: string) => dns.set(`_mta-sts.${domain}`, { TXT: [[`v=STSv1; id=${id};`]] })
  publish('1')
  return {
    ...{ app, acme, dns, server, web, publish, anotherNode, policies },
    restart: () => {
      policies = anotherNode()
    },
    async deliver(to = `ada@${DOMAIN}`) {
      const id = await sendEmail(acme, { from: `hello@${name}`, to })
      await app.deliverDue()
      const { last_event, deliveries } = await readEmail(acme, id)
      return { event: last_event, reply: deliveries[0].replies.at(-1)?.reply ?? deliveries[0].replies.at(-1) }
    },
  }
}

const encrypted = { server: { tls: 'good' } } as const

test('a policy that is enforced is followed: the server that it names, with a certificate for its name', async () => {
  const { web, server, deliver, app } = await startWorld(encrypted)
  web.answers(policy('enforce', 'mail.test'))

  expect(await deliver()).toMatchObject({ event: 'delivered' })
  expect(server.messages).toMatchObject([{ isTls: true }])
  expect(web.requests).toEqual(['mta-sts.sink.dev/.well-known/mta-sts.txt'])
  expect(await app.db.query(sql`select domain, record_id, mode, mx, max_age_seconds from mta_sts_policies`)).toEqual([
    { domain: DOMAIN, record_id: '1', mode: 'enforce', mx: ['mail.test'], max_age_seconds: 604_800 },
  ])
  expect(await app.services.metrics.render()).toContain(
    'postwren_outgoing_tls_total{policy="enforce",result="success"} 1',
  )
})

test('a server that the policy does not name gets nothing: the mail waits and says why', async () => {
  const { web, server, deliver } = await startWorld(encrypted)
  web.answers(policy('enforce', '*.mail.test', 'other.test'))

  const { event, reply } = await deliver()

  expect(event).toBe('delivery_delayed')
  expect(JSON.stringify(reply)).toContain('451 4.7.5 No mail server of sink.dev is named by its MTA-STS policy')
  expect(server.connections.total).toBe(0)
})

test.each([
  ['no STARTTLS', {}, 'it does not offer TLS, and the MTA-STS policy of sink.dev demands TLS'],
  ['a broken handshake', { tls: 'broken' }, '451 4.7.5 mail.test'],
] as const)('%s is not followed by an open session', async (_name, options, words) => {
  const { web, server, deliver } = await startWorld({ server: options })
  web.answers(policy('enforce', 'mail.test'))

  const { event, reply } = await deliver()

  expect(event).toBe('delivery_delayed')
  expect(JSON.stringify(reply)).toContain(words)
  expect(server.count('MAIL')).toBe(0)
})

test('neither is a certificate for another name, by whichever address or server the mail would go', async () => {
  const { web, dns, server, deliver } = await startWorld(encrypted)
  web.answers(policy('enforce', '*.elsewhere.test'))
  dns.set(DOMAIN, {
    MX: [
      { exchange: 'a.elsewhere.test', preference: 10 },
      { exchange: 'b.elsewhere.test', preference: 20 },
    ],
  })
  dns.set('a.elsewhere.test', { A: ['127.0.0.9', '127.0.0.1'] })
  dns.set('b.elsewhere.test', { A: ['127.0.0.1'] })

  const { event, reply } = await deliver()

  expect(event).toBe('delivery_delayed')
  expect(JSON.stringify(reply)).toContain('its certificate is not valid for its name')
  expect(server.count('EHLO')).toBeGreaterThan(1)
  expect(server.count('MAIL')).toBe(0)
})

test('a session that another domain has opened is used only by the name that its server has proved', async () => {
  const { web, dns, server, deliver } = await startWorld(encrypted)
  web.answers(policy('enforce', 'mail.test'))
  // The same machine by another name, for which it has no certificate.
  dns.set('lax.dev', { MX: [{ exchange: 'mail.test', preference: 10 }] })
  dns.set('alias.test', { A: ['127.0.0.1'] })
  await deliver('bob@lax.dev')

  expect(await deliver()).toMatchObject({ event: 'delivered' })
  expect(server.connections.total).toBe(1)
})

test('`testing` is delivered and counted, `none` is as no policy', async () => {
  const { web, server, deliver, app, publish, restart } = await startWorld()
  web.answers(policy('testing', 'other.test'))
  expect(await deliver()).toMatchObject({ event: 'delivered' })

  web.answers('version: STSv1\nmode: none\nmax_age: 60')
  publish('2')
  restart()
  expect(await deliver()).toMatchObject({ event: 'delivered' })

  expect(server.messages).toMatchObject([{ isTls: false }, { isTls: false }])
  const metrics = await app.services.metrics.render()
  expect(metrics).toContain('postwren_outgoing_tls_total{policy="testing",result="mx-mismatch"} 1')
  expect(metrics).toContain('postwren_outgoing_tls_total{policy="testing",result="starttls-not-supported"} 1')
})

test('what is kept counts while the domain cannot be asked, on every node, until it expires', async () => {
  const { web, dns, deliver, app, publish, restart } = await startWorld()
  web.answers(policy('enforce', 'mail.test'))
  expect(await deliver()).toMatchObject({ event: 'delivery_delayed' })

  // Somebody answers for it who has no certificate, or hides the record.
  web.answers(null)
  publish('2')
  restart()
  expect(await deliver()).toMatchObject({ event: 'delivery_delayed' })
  dns.fault(`TXT _mta-sts.${DOMAIN}`, 'servfail')
  restart()
  expect(await deliver()).toMatchObject({ event: 'delivery_delayed' })
  dns.fault(`TXT _mta-sts.${DOMAIN}`, null)
  dns.remove(`_mta-sts.${DOMAIN}`)
  restart()
  expect(await deliver()).toMatchObject({ event: 'delivery_delayed' })

  await app.db.query(sql.write`update mta_sts_policies set expires_at = ${app.clock.now()}`)
  restart()
  expect(await deliver()).toMatchObject({ event: 'delivered' })
})

test.each([
  ['a redirect', { status: 302, location: 'https://elsewhere.test/', body: policy('enforce', 'other.test') }],
  ['a page', { type: 'text/html', body: policy('enforce', 'other.test') }],
  ['an error', { status: 404, body: policy('enforce', 'other.test') }],
  ['too much', { body: `${policy('enforce', 'other.test')}${'x: y\n'.repeat(20_000)}` }],
  ['a text that is no policy', { body: 'hello' }],
])('%s is no policy: mail goes as to everybody', async (_name, answer) => {
  const { web, deliver, app } = await startWorld()
  web.answers(answer)

  expect(await deliver()).toMatchObject({ event: 'delivered' })
  expect(await app.db.query(sql`select domain from mta_sts_policies`)).toEqual([])
})

test('nor is what a server says that has no certificate for the name', async () => {
  const { web, deliver, app } = await startWorld({ certificateName: 'mta-sts.elsewhere.dev' })
  web.answers(policy('enforce', 'other.test'))

  expect(await deliver()).toMatchObject({ event: 'delivered' })
  expect(web.requests).toEqual([])
  expect(await app.db.query(sql`select domain from mta_sts_policies`)).toEqual([])
})

test('a domain in its own letters has the policy of its name in the DNS', async () => {
  const domain = 'xn--bcher-kva.dev'
  const { web, server, deliver } = await startWorld({ ...encrypted, domain })
  web.answers(policy('enforce', 'other.test'))

  expect(await deliver('ada@bücher.dev')).toMatchObject({ event: 'delivery_delayed' })
  expect(await deliver(`ada@${domain}`)).toMatchObject({ event: 'delivery_delayed' })
  expect(web.requests).toEqual([`mta-sts.${domain}/.well-known/mta-sts.txt`])
  expect(server.connections.total).toBe(0)
})

test('nobody is asked twice: not by many who arrive together, nor while the record says the same', async () => {
  const { web, dns, anotherNode } = await startWorld()
  web.answers(policy('enforce', 'mail.test'))
  const policies = anotherNode()

  await Promise.all([policies.find(DOMAIN), policies.find('SINK.dev'), policies.find(DOMAIN)])
  await policies.find(DOMAIN)
  await anotherNode().find(DOMAIN)

  expect(web.requests).toHaveLength(1)
  expect(dns.queries.filter((query) => query === `TXT _mta-sts.${DOMAIN}`)).toHaveLength(2)
})

test('nor more often than every five minutes, whatever the policy asks for', async () => {
  const { web, app, anotherNode } = await startWorld()
  web.answers('version: STSv1\nmode: enforce\nmx: mail.test\nmax_age: 0')
  const policies = anotherNode()

  await policies.find(DOMAIN)
  app.clock.advance(299)
  expect(await policies.find(DOMAIN)).toMatchObject({ mode: 'enforce' })
  expect(web.requests).toHaveLength(1)

  app.clock.advance(2)
  await policies.find(DOMAIN)
  expect(web.requests).toHaveLength(2)
})

test('policies are fetched again before they expire, and go when nobody writes to the domain any more', async () => {
  const { web, app, policies, publish } = await startWorld()
  web.answers(policy('enforce', 'mail.test'))
  await policies.find(DOMAIN)
  const { refreshPolicies, sweepPolicies } = await import('./jobs.ts')
  const services = { ...app.services, tlsPolicies: policies, signal: new AbortController().signal }
  const stored = () =>
    app.db.query(sql`select mx, expires_at > ${app.clock.now()}::timestamptz as valid from mta_sts_policies`)

  await refreshPolicies.run({}, services)
  expect(web.requests).toHaveLength(1)

  web.answers(policy('enforce', 'new.test'))
  publish('2')
  app.clock.advance(6 * 86_400)
  await refreshPolicies.run({}, services)
  expect(await stored()).toEqual([{ mx: ['new.test'], valid: true }])

  web.answers(null)
  app.clock.advance(2 * 86_400)
  await refreshPolicies.run({}, services)
  expect(web.requests).toHaveLength(3)
  expect(await stored()).toEqual([{ mx: ['new.test'], valid: true }])

  app.clock.advance(30 * 86_400)
  await refreshPolicies.run({}, services)
  await sweepPolicies.run({}, services)
  expect(web.requests).toHaveLength(3)
  expect(await stored()).toEqual([])
})

test('name servers are asked for the host of a policy, and no thread waits for them', async () => {
  const dns = await startDnsServer()
  const app = await startApp({ POSTWREN_DELIVERY: 'direct', POSTWREN_DNS_SERVERS: dns.address })
  dns.set('_mta-sts.slow.example', { TXT: [['v=STSv1; id=1;']] })
  dns.set('mta-sts.slow.example', { A: ['169.254.169.254'] })

  const { mode, problem } = await app.services.tlsPolicies.find('slow.example')

  expect({ mode, problem }).toEqual({
    mode: 'none',
    problem: { kind: 'failed', reason: 'mta-sts.slow.example is not a public address' },
  })
  expect(dns.queries).toEqual(expect.arrayContaining(['A mta-sts.slow.example', 'AAAA mta-sts.slow.example']))
})
