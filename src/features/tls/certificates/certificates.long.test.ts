import { X509Certificate } from 'node:crypto'
import { connect as connectTls } from 'node:tls'
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

test.skipIf(!hasPebble)('a name is proved over TLS, and HTTPS is spoken with its certificate', async () => {
  const { app, services, tlsPort, run, states } = await startWorld({ POSTWREN_HTTPS_PORT: '0' })
  await app.server.ready()
  const https = createHttps(services, app.server.server)!
  await https.open({ host: '127.0.0.1', port: tlsPort })
  onTestFinished(() => https.close())
  onTestFinished(await services.certificates.follow(NAME))
  const seen = (options: { servername?: string; ALPNProtocols?: string[] }) =>
    new Promise<{ subject: string | null; answer: string }>((resolve) => {
      let answer = ''
      const socket = connectTls({ host: '127.0.0.1', port: tlsPort, rejectUnauthorized: false, ...options })
      socket.on('error', () => resolve({ subject: null, answer }))
      socket.on('data', (chunk) => {
        answer += chunk
      })
      socket.once('secureConnect', () => {
        const subject = socket.getPeerX509Certificate()?.subjectAltName ?? null
        socket.once('close', () => resolve({ subject, answer }))
        socket.write(`GET /livez HTTP/1.1\r\nHost: ${NAME}\r\nConnection: close\r\n\r\n`)
      })
    })
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
