import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startDnsServer } from '../../../../test/harness/dns-server.ts'
import { startResendApi, startSes } from '../../../../test/harness/mail-apis.ts'
import { startMailServer } from '../../../../test/harness/mail-server.ts'
import { relayRoute, routesFile } from '../../../../test/harness/routes.ts'
import { loadConfig } from '../../../platform/settings/config.ts'
import { checkDns } from './dns.ts'
import type { Check, Finding } from './finding.ts'
import { checkOutgoing } from './outgoing.ts'
import { checkPorts } from './ports.ts'
import { checkRelay } from './relay.ts'
import { checkRoutes } from './routes.ts'

async function check(run: Check['run'], settings: Record<string, string>): Promise<string[]> {
  const findings: Finding[] = await run({ config: loadConfig(settings), environment: settings })
  return findings.map(({ status, message }) => `${status}: ${message}`)
}

const auth = { user: 'relay', pass: 'geheim42' }

/** The relay of these settings. */
const through = (port: number, login = 'relay:geheim42@') => ({
  POSTWREN_DELIVERY: 'relay',
  POSTWREN_RELAY_URL: `smtp://${login}127.0.0.1:${port}`,
  POSTWREN_HOSTNAME: 'mail.test',
})

test('a relay that lets us in is fine, and gets no mail', async () => {
  const server = await startMailServer({ auth, tls: 'good' })

  expect(await check(checkRelay, through(server.port))).toEqual([
    `ok: Relay: 127.0.0.1:${server.port} answers, encrypted, logged in as relay.`,
  ])
  expect(server.count('AUTH')).toBe(1)
  expect(server.count('MAIL')).toBe(0)
})

test('a wrong password is a fault, and not repeated', async () => {
  const server = await startMailServer({ auth, tls: 'good' })

  const [finding] = await check(checkRelay, through(server.port, 'relay:wrong42@'))

  expect(finding).toMatch(/^fault: The relay cannot be used: .*refused the login/)
  expect(finding).not.toContain('wrong42')
})

test('a relay without encryption is worth a warning', async () => {
  const server = await startMailServer({})

  expect(await check(checkRelay, through(server.port, ''))).toEqual([
    expect.stringMatching(/^warning: Relay: .*without a login, without encryption/),
  ])
})

test('a relay that nobody is at is a fault', async () => {
  const server = await startMailServer({})
  server.stop()

  expect(await check(checkRelay, through(server.port))).toEqual([
    expect.stringMatching(/^fault: The relay cannot be used: .*the connection was refused.*POSTWREN_RELAY_URL/),
  ])
})

test('without a relay there is nothing to check', async () => {
  expect(await check(checkRelay, {})).toEqual([])
})

test('each route is tried as delivery would, nobody gets mail, and no secret is told', async () => {
  const [well, plain] = [await startMailServer({ auth, tls: 'good' }), await startMailServer()]
  const closed = await startMailServer({ auth, tls: 'good' })
  const dead = await startMailServer()
  dead.stop()
  const [ses, api] = [await startSes(), await startResendApi()]
  const routes = [
    { name: 'direct', kind: 'direct' },
    relayRoute('well', well, 'relay:geheim42@'),
    relayRoute('plain', plain),
    relayRoute('closed', closed, 'relay:wrong42@'),
    relayRoute('dead', dead),
    ses.route(),
    { ...api.route('api-closed'), key: 're_wrong42' },
  ]
  const settings = {
    ...{ POSTWREN_DELIVERY: 'direct', POSTWREN_HOSTNAME: 'mail.test', POSTWREN_ROUTES: routesFile({ routes }) },
  }

  const findings = await check(checkRoutes, settings)

  expect(findings).toEqual([
    `ok: Route well: 127.0.0.1:${well.port} answers, encrypted.`,
    `warning: Route plain: 127.0.0.1:${plain.port} answers, without encryption.`,
    expect.stringMatching(/^fault: Route closed cannot be used: .*refused the login/),
    expect.stringMatching(/^fault: Route dead cannot be used: .*the connection was refused/),
    expect.stringMatching(/^warning: Route ses: 127\.0\.0\.1\S* answers, without encryption\.$/),
    expect.stringMatching(/^fault: Route api-closed cannot be used: /),
  ])
  expect(findings.join()).not.toContain('wrong42')
  expect([well.count('MAIL'), plain.count('MAIL'), ses.messages, api.emails]).toEqual([0, 0, [], []])
  expect(await check(checkRoutes, { ...settings, POSTWREN_DELIVERY: 'inbox' })).toEqual([
    'warning: POSTWREN_ROUTES is not used: with POSTWREN_DELIVERY=inbox nothing leaves.',
  ])
  expect(await check(checkRoutes, {})).toEqual([])
})

test('a port that something else uses is a fault, and its setting is named', async () => {
  const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as { port: number }

  const settings = { POSTWREN_PORT: '0', POSTWREN_SMTP_PORT: '0', POSTWREN_SMTP_MORE_PORTS: String(port) }

  expect(await check(checkPorts, settings)).toContainEqual(
    `fault: Port ${port} on 127.0.0.1 is in use: stop the other program, or change POSTWREN_SMTP_MORE_PORTS.`,
  )
  expect(await check(checkPorts, { POSTWREN_PORT: String(port), POSTWREN_ROLES: 'api' })).toEqual([
    `fault: Port ${port} on 127.0.0.1 is in use: stop the other program, or change POSTWREN_PORT.`,
  ])
  expect(
    await check(checkPorts, { POSTWREN_PORT: '0', POSTWREN_ROLES: 'api', POSTWREN_METRICS_PORT: String(port) }),
  ).toContainEqual(
    `fault: Port ${port} on 127.0.0.1 is in use: stop the other program, or change POSTWREN_METRICS_PORT.`,
  )
  expect(
    await check(checkPorts, { POSTWREN_PORT: '0', POSTWREN_ROLES: 'api', POSTWREN_HTTPS_PORT: String(port) }),
  ).toContainEqual(`fault: Port ${port} on 127.0.0.1 is in use: stop the other program, or change POSTWREN_HTTPS_PORT.`)
})

const DIRECT = { POSTWREN_DELIVERY: 'direct', POSTWREN_HOSTNAME: 'mail.example.com' }

test('a host with an address and a name that fits is fine', async () => {
  const dns = await startDnsServer()
  dns.set('mail.example.com', { A: ['8.8.8.8'] })
  dns.set('8.8.8.8.in-addr.arpa', { PTR: ['mail.example.com'] })

  expect(await check(checkDns, { ...DIRECT, POSTWREN_DNS_SERVERS: dns.address })).toEqual([
    'ok: DNS: mail.example.com is at 8.8.8.8.',
  ])
})

test('an address that has another name, or a name that is an alias, is worth a warning', async () => {
  const dns = await startDnsServer()
  dns.set('mail.example.com', { CNAME: 'host.example.net' })
  dns.set('host.example.net', { A: ['8.8.4.4'] })
  dns.set('4.4.8.8.in-addr.arpa', { PTR: ['customer-7.example.net'] })

  expect(await check(checkDns, { ...DIRECT, POSTWREN_DNS_SERVERS: dns.address })).toEqual([
    'ok: DNS: mail.example.com is at 8.8.4.4.',
    expect.stringMatching(/^warning: DNS: mail\.example\.com is an alias/),
    expect.stringMatching(
      /^warning: DNS: the name of 8\.8\.4\.4 \(PTR\) should be mail\.example\.com; it is customer-7/,
    ),
  ])
})

test('an address that is on a blocklist is worth a warning', async () => {
  const dns = await startDnsServer()
  dns.set('mail.example.com', { A: ['8.8.8.8'] })
  dns.set('8.8.8.8.in-addr.arpa', { PTR: ['mail.example.com'] })
  dns.set('8.8.8.8.bl.example', { A: ['127.0.0.2'] })
  const lists = { POSTWREN_BLOCKLISTS: 'bl.example,other.example,domain:dbl.example' }

  expect(await check(checkDns, { ...DIRECT, ...lists, POSTWREN_DNS_SERVERS: dns.address })).toEqual([
    'ok: DNS: mail.example.com is at 8.8.8.8.',
    expect.stringMatching(/^warning: DNS: 8\.8\.8\.8 is on the blocklist bl\.example/),
  ])
})

test('without an address, or without name servers, no mail leaves directly', async () => {
  const dns = await startDnsServer()
  const settings = { ...DIRECT, POSTWREN_DNS_SERVERS: dns.address }

  expect(await check(checkDns, settings)).toEqual([
    expect.stringMatching(/^fault: DNS: mail\.example\.com has no address/),
  ])
  dns.fault('mail.example.com', 'refused')
  expect(await check(checkDns, settings)).toEqual([expect.stringMatching(/^fault: DNS: .*POSTWREN_DNS_SERVERS/)])
})

test('on a laptop it is enough that name servers answer, and no fault when they do not', async () => {
  const dns = await startDnsServer()
  const nobody = { POSTWREN_DNS_SERVERS: '127.0.0.1:1' }

  expect(await check(checkDns, { POSTWREN_DNS_SERVERS: dns.address })).toEqual(['ok: DNS: name servers answer.'])
  expect(await check(checkDns, nobody)).toEqual([expect.stringMatching(/^warning: DNS: /)])
})

/** A mail server of the outside, at an address of this machine. */
async function outside() {
  const [dns, server] = [await startDnsServer(), await startMailServer({})]
  dns.set('known.example', { MX: [{ exchange: 'mx.known.example', preference: 10 }] })
  dns.set('mx.known.example', { A: ['127.0.0.1'] })
  const look = (settings: Record<string, string> = {}, domains = ['known.example', 'absent.example']) =>
    check((input) => checkOutgoing(input, { domains, port: server.port }), {
      ...{ ...DIRECT, POSTWREN_DNS_SERVERS: dns.address },
      ...settings,
    })
  return { server, look }
}

test('where mail goes out directly, port 25 has to be open to the outside', async () => {
  const { server, look } = await outside()

  expect(await look()).toEqual([`ok: Outgoing port ${server.port} is open: mx.known.example answers.`])
  expect(server.count('EHLO')).toBe(0)
  server.stop()
  expect(await look()).toEqual([
    expect.stringMatching(
      /^fault: Outgoing port \d+ seems to be blocked \(mx\.known\.example cannot be reached \(ECONNREFUSED\)\).*POSTWREN_DELIVERY=relay\.$/,
    ),
  ])
  expect(await look({}, ['absent.example'])).toEqual([expect.stringMatching(/^warning: .*was not checked/)])
})

test('and where it does not, nobody is asked', async () => {
  const { look } = await outside()

  expect(await look({ POSTWREN_DELIVERY: 'inbox' })).toEqual([])
  expect(await look({ POSTWREN_ROLES: 'api' })).toEqual([])
})

test('an address that mail is to be sent from, and that this machine does not have, is a fault', async () => {
  const settings = {
    POSTWREN_DELIVERY: 'relay',
    POSTWREN_RELAY_URL: 'smtp://127.0.0.1',
    POSTWREN_SOURCE_ADDRESS: '192.0.2.1',
  }
  const findings = await checkOutgoing({ config: loadConfig(settings), environment: settings })

  expect(findings).toEqual([
    {
      name: 'outgoing',
      status: 'fault',
      message: expect.stringMatching(/^POSTWREN_SOURCE_ADDRESS: 192\.0\.2\.1 cannot be used/),
    },
  ])
})
