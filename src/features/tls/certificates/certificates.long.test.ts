import { X509Certificate } from 'node:crypto'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { startDnsServer } from '../../../../test/harness/dns-server.ts'
import { freePort, startPebble } from '../../../../test/harness/pebble.ts'
import { hasTool } from '../../../../test/harness/tools.ts'
import { createHttps } from '../../../app/roles/https.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { orderCertificates } from './jobs.ts'

const NAME = 'mx.postwren.test'
const hasPebble = hasTool('pebble', ['-h'], 'Certificates are not ordered from an authority')

/** The installation and an authority that finds it, by names of its own. */
async function startWorld(settings: Record<string, string> = {}) {
  const dns = await startDnsServer()
  const [httpPort, tlsPort] = [await freePort(), await freePort()]
  const pebble = await startPebble({ dns: dns.address, httpPort, tlsPort })
  const app = await startApp({
    ...{ POSTWREN_HOSTNAME: NAME, POSTWREN_PUBLIC_URL: `https://${NAME}`, POSTWREN_ACME: pebble.directory },
    ...{ POSTWREN_ACME_CONTACT: 'ops@postwren.test', POSTWREN_DATA_DIR: '/tmp/postwren-acme-test' },
    ...settings,
  })
  const { services } = app
  await app.db.query(sql.write`delete from certificates`)
  await app.db.query(sql.write`delete from acme_accounts`)
  dns.set(NAME, { A: ['127.0.0.1'] })
  const run = () =>
    orderCertificates.run({}, { ...services, acmeHttp: pebble.http, signal: new AbortController().signal })
  const states = () =>
    app.db.query<{ name: string; isThere: boolean; failures: number; problem: string | null }>(sql`
      select name, certificate is not null as "isThere", failures, problem from certificates order by name`)
  return { app, services, dns, httpPort, tlsPort, run, states }
}

/** A domain of a team that receives, with a policy and tracked links, whose names lead here. */
async function addHosted({ app, dns }: Pick<Awaited<ReturnType<typeof startWorld>>, 'app' | 'dns'>) {
  const acme = await app.as('acme')
  const name = `d-${Math.random().toString(36).slice(2)}.dev`
  const { id } = (
    await acme.post('/domains', { name, tracking_subdomain: 'links', capabilities: { receiving: 'enabled' } })
  ).body
  await acme.patch(`/domains/${id}`, { mta_sts: 'testing' })
  const names = [`links.${name}`, `mta-sts.${name}`]
  for (const one of names) dns.set(one, { A: ['127.0.0.1'] })
  const lead = async (isHere: boolean) =>
    void (await app.db.query(sql.write`
      update domains set is_receiving_proven = ${isHere}, is_tracking_verified = ${isHere} where id = ${id}`))
  // The tests share an installation, and each has an authority of its own.
  onTestFinished(() => lead(false))
  return { names, prove: () => lead(true) }
}

const listen = (app: Awaited<ReturnType<typeof startApp>>, port: number) =>
  app.server.listen({ host: '127.0.0.1', port })

test.skipIf(!hasPebble)('a name is proved over HTTP, and its certificate is there for all nodes', async () => {
  const { app, services, httpPort, run, states } = await startWorld()
  await listen(app, httpPort)

  await run()

  expect(await states()).toEqual([{ name: NAME, isThere: true, failures: 0, problem: null }])
  const found = await services.certificates.find(NAME.toUpperCase())
  expect(new X509Certificate(found!.cert).checkHost(NAME)).toBe(NAME)
  expect(found!.key).toContain('BEGIN PRIVATE KEY')
  expect(await services.certificates.find('elsewhere.test')).toBeNull()
  const [row] = await app.db.query<{ key: Buffer }>(sql`select private_key as key from certificates`)
  expect(row!.key.toString('latin1')).not.toContain('PRIVATE KEY')
  expect(await app.db.query(sql`select from acme_challenges`)).toEqual([])
})

test.skipIf(!hasPebble)(
  'names of domains follow as soon as they lead here: of tracked links and of the policy',
  async () => {
    const { app, dns, services, httpPort, run, states } = await startWorld()
    await listen(app, httpPort)
    const { names, prove } = await addHosted({ app, dns })
    await run()
    expect((await states()).map(({ name }) => name)).toEqual([NAME])

    await prove()
    await run()

    const isThere = { isThere: true, failures: 0, problem: null }
    expect(await states()).toEqual([...names.map((name) => ({ name, ...isThere })), { name: NAME, ...isThere }])
    for (const name of names) {
      const found = await services.certificates.find(name)
      expect(new X509Certificate(found!.cert).subjectAltName).toBe(`DNS:${name}`)
    }
  },
)

test.skipIf(!hasPebble)('one of a domain that does not lead here holds up no other, and is tried again', async () => {
  const { app, dns, httpPort, run, states } = await startWorld()
  await listen(app, httpPort)
  const { names, prove } = await addHosted({ app, dns })
  await prove()
  const [links = '', policy = ''] = names
  dns.remove(links)

  await run()
  expect(await states()).toMatchObject([
    { name: links, isThere: false, failures: 1, problem: expect.stringMatching(/./) },
    { name: policy, isThere: true },
    { name: NAME, isThere: true },
  ])
  dns.set(links, { A: ['127.0.0.1'] })
  app.clock.advance(16 * 60)
  await run()

  expect(await states()).toMatchObject([{ name: links, isThere: true, failures: 0, problem: null }, {}, {}])
})

test.skipIf(!hasPebble)('it is renewed when two thirds of its life are over, and not before', async () => {
  const { app, httpPort, run } = await startWorld()
  await listen(app, httpPort)
  const serial = async () => {
    const [row] = await app.db.query<{ certificate: string }>(sql`select certificate from certificates`)
    return new X509Certificate(row!.certificate).serialNumber
  }
  await run()
  const first = await serial()

  await run()
  expect(await serial()).toBe(first)
  await app.db.query(sql.write`update certificates set renew_at = ${app.clock.now()}, next_try_at = ${app.clock.now()}`)
  await run()
  expect(await serial()).not.toBe(first)
  const [{ share } = { share: 0 }] = await app.db.query<{ share: number }>(sql`
    select extract(epoch from expires_at - renew_at)::float8 / 86400 as share from certificates`)
  // Of five years, as pebble issues them.
  expect(share).toBeGreaterThan(500)
})

test.skipIf(!hasPebble)(
  'an authority that cannot see the name is asked again after a while, and says why',
  async () => {
    const { app, dns, run, states } = await startWorld()
    dns.remove(NAME)

    await run()
    const [state] = await states()
    expect(state).toMatchObject({ isThere: false, failures: 1, problem: expect.stringMatching(/./) })
    await run()
    expect(await states()).toEqual([state])
    app.clock.advance(16 * 60)
    await run()
    expect(await states()).toMatchObject([{ failures: 2 }])
  },
)

/** What a client sees that connects: the names of the certificate, and the answer to a request for a page of the host. */
const seenAt = (port: number, { path = '/livez', ...options }: ConnectionOptions & { path?: string | undefined }) =>
  new Promise<{ subject: string | null; answer: string }>((resolve) => {
    let answer = ''
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
    socket.on('error', () => resolve({ subject: null, answer }))
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.once('secureConnect', () => {
      const subject = socket.getPeerX509Certificate()?.subjectAltName ?? null
      socket.once('close', () => resolve({ subject, answer }))
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${options.servername}\r\nConnection: close\r\n\r\n`)
    })
  })

/** HTTPS on the port at which the authority looks. */
async function openHttps({ app, services, tlsPort }: Awaited<ReturnType<typeof startWorld>>) {
  await app.server.ready()
  const https = createHttps(services, app.server.server)!
  await https.open({ host: '127.0.0.1', port: tlsPort })
  onTestFinished(() => https.close())
  onTestFinished(await services.certificates.follow(NAME))
}

test.skipIf(!hasPebble)('names of domains are proved over TLS, and each is answered with its certificate', async () => {
  const world = await startWorld({ POSTWREN_HTTPS_PORT: '0' })
  const { app, dns, tlsPort, run, states } = world
  await openHttps(world)
  const { names, prove } = await addHosted({ app, dns })
  await prove()

  await run()

  expect((await states()).map(({ isThere }) => isThere)).toEqual([true, true, true])
  for (const servername of names)
    expect(await seenAt(tlsPort, { servername })).toMatchObject({ subject: `DNS:${servername}` })
  const path = '/.well-known/mta-sts.txt'
  const [, servername = ''] = names
  const { answer } = await seenAt(tlsPort, { servername, path })
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK/)
  expect(answer).toMatch(/version: STSv1\s+mode: testing\s+mx: mx\.postwren\.test/)
})

test.skipIf(!hasPebble)('a name is proved over TLS, and HTTPS is spoken with its certificate', async () => {
  const world = await startWorld({ POSTWREN_HTTPS_PORT: '0' })
  const { app, services, tlsPort, run, states } = world
  await openHttps(world)
  const seen = (options: ConnectionOptions) => seenAt(tlsPort, options)
  expect((await seen({ servername: NAME })).answer).toContain('{"status":"ok"}')

  await run()

  expect(await states()).toEqual([{ name: NAME, isThere: true, failures: 0, problem: null }])
  const { cert } = (await services.certificates.find(NAME))!
  expect(await seen({ servername: NAME })).toEqual({
    subject: new X509Certificate(cert).subjectAltName,
    answer: expect.stringContaining('200 OK'),
  })
  // Who names no host of ours sees the certificate of the mail server.
  await app.until(() => services.certificates.own !== null)
  expect(await seen({ servername: 'elsewhere.test' })).toMatchObject({ subject: `DNS:${NAME}` })
  expect(await seen({ servername: NAME, ALPNProtocols: ['acme-tls/1'] })).toEqual({ subject: null, answer: '' })
})
