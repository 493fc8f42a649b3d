import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { Resend } from 'resend'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { sql } from '../../src/kernel/db/sql.ts'
import { Changes } from '../harness/changes.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../harness/mail-conversation.ts'
import { freePort } from '../harness/postgres-server.ts'
import { Program } from '../harness/program.ts'
import { call as callService, eventually, Service, temporaryFolder } from '../harness/service.ts'
import { databaseOf } from '../harness/service-database.ts'

// The examples in examples/proxies, as they are but for names, ports and certificates, in front of a service.

/** Where clients come from: an address that is neither the proxy's nor the service's. */
const CLIENT = '127.0.0.9'
const CONTACTS = 20_000

const isInstalled = (program: string, ...words: string[]) => spawnSync(program, words).status === 0
const example = (name: string) => readFileSync(join('examples/proxies', name), 'utf8')

/** Each of these stands in the example, once. */
function changed(text: string, changes: Record<string, string>): string {
  return Object.entries(changes).reduce((changed, [from, to]) => {
    if (changed.split(from).length !== 2) throw new Error(`the example has to say \`${from}\` once`)
    return changed.replace(from, () => to)
  }, text)
}

let service: Service
/** Where it answers without a proxy. */
let direct: string
let tlsPort: number

beforeAll(async () => {
  // The certificate of the tests is signed by nobody whom the SDK knows.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  tlsPort = await freePort()
  const port = await freePort()
  direct = `http://127.0.0.1:${port}`
  service = await Service.start({
    lifetime: 'file',
    settings: {
      ...{ POSTWREN_PUBLIC_URL: 'https://mail.example.com', POSTWREN_SMTP_PROXIES: 'loopback' },
      ...{ POSTWREN_PORT: String(port), POSTWREN_SMTP_MORE_PORTS: `${tlsPort}/tls` },
    },
  })
  const db = await databaseOf(service, 'file')
  await db.query(sql`
    insert into contacts (team_id, id, email, created_at, updated_at)
    select t.id, gen_random_uuid(), 'user' || n || '@many.dev', now(), now()
    from (select id from teams where name = 'default') t, generate_series(1, ${CONTACTS}::int) n`)
}, 120_000)

afterAll(() => vi.unstubAllEnvs())

interface Front {
  readonly url: string
  readonly smtp?: number
  readonly smtps?: number
}

const apiAddress = () => new URL(direct).host

const ask = (path: string) => callService({ url: direct, token: service.token }, 'GET', path)

/** A folder with the certificate, as each of them wants it. */
function certificateFolder(): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'fullchain.pem'), CERTIFICATE)
  writeFileSync(join(folder, 'privkey.pem'), PRIVATE_KEY)
  writeFileSync(join(folder, 'both.pem'), `${CERTIFICATE}\n${PRIVATE_KEY}`)
  return folder
}

/** Its workers end with it: all of its group is ended. */
const startProxy = (command: readonly string[], environment: Record<string, string> = {}) =>
  new Program(command, { environment, isForeground: true })

/** Resolves when it lets somebody through. */
const isUp = (program: Program, look: () => Promise<boolean>) =>
  eventually(() => {
    if (program.hasEnded) throw new Error(program.stderr + program.stdout)
    return look()
  })

const running = (program: Program, url: string) =>
  isUp(program, () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    ),
  )

async function startNginx(): Promise<Front> {
  const folder = certificateFolder()
  const [port, plainPort] = [await freePort(), await freePort()]
  const text = changed(example('nginx.conf'), {
    '127.0.0.1:4025': apiAddress(),
    'listen 80;': `listen 127.0.0.1:${plainPort};`,
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    '/etc/ssl/mail.example.com/fullchain.pem': join(folder, 'fullchain.pem'),
    '/etc/ssl/mail.example.com/privkey.pem': join(folder, 'privkey.pem'),
    'http {': `http {\n access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;`,
  })
  writeFileSync(join(folder, 'nginx.conf'), text)
  const more = `daemon off; pid ${folder}/nginx.pid; error_log stderr;`
  const url = `https://127.0.0.1:${port}`
  await running(startProxy(['nginx', '-p', folder, '-c', join(folder, 'nginx.conf'), '-g', more]), url)
  return { url }
}

async function startCaddy(): Promise<Front> {
  const folder = temporaryFolder()
  const port = await freePort()
  const text = changed(example('Caddyfile'), {
    '127.0.0.1:4025': apiAddress(),
    'mail.example.com {': `{\n admin off\n auto_https off\n}\nhttp://127.0.0.1:${port} {`,
  })
  writeFileSync(join(folder, 'Caddyfile'), text)
  const environment = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const url = `http://127.0.0.1:${port}`
  const command = ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
  await running(startProxy(command, environment), url)
  return { url }
}

async function startHaproxy(): Promise<Front & { smtp: number; smtps: number }> {
  const folder = certificateFolder()
  const [port, smtp, smtps] = [await freePort(), await freePort(), await freePort()]
  const text = changed(example('haproxy.cfg'), {
    '127.0.0.1:4025': apiAddress(),
    '127.0.0.1:2525': `127.0.0.1:${service.smtpPort}`,
    '127.0.0.1:4650': `127.0.0.1:${tlsPort}`,
    'bind :443': `bind 127.0.0.1:${port}`,
    'bind :25': `bind 127.0.0.1:${smtp}`,
    'bind :465': `bind 127.0.0.1:${smtps}`,
    '/etc/haproxy/mail.example.com.pem': join(folder, 'both.pem'),
  })
  writeFileSync(join(folder, 'haproxy.cfg'), text)
  const url = `https://127.0.0.1:${port}`
  await running(startProxy(['haproxy', '-db', '-f', join(folder, 'haproxy.cfg')]), url)
  return { url, smtp, smtps }
}

/** From another address than the proxy's. */
function call(
  url: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: object; body?: unknown },
) {
  const request = url.startsWith('https') ? requestTls : requestPlain
  const authorization = `Bearer ${service.token}`
  return new Promise<{ status: number; pieces: number; wasOpenAtFirst: boolean; text: string }>((resolve, reject) => {
    const sent = request(
      url,
      {
        ...{ method, localAddress: CLIENT, rejectUnauthorized: false },
        headers: { authorization, 'content-type': 'application/json', ...headers },
      },
      (response) => {
        const chunks: Buffer[] = []
        let wasOpenAtFirst = false
        response.on('data', (chunk: Buffer) => {
          if (chunks.length === 0) wasOpenAtFirst = !response.complete
          chunks.push(chunk)
        })
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            pieces: chunks.length,
            wasOpenAtFirst,
            text: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

describe.each([
  { name: 'nginx', isHere: isInstalled('nginx', '-v'), start: startNginx },
  { name: 'caddy', isHere: isInstalled('caddy', 'version'), start: startCaddy },
  { name: 'haproxy', isHere: isInstalled('haproxy', '-v'), start: startHaproxy },
])('$name', ({ isHere, start }) => {
  test.skipIf(!isHere)(
    'lets large emails in, lists out in pieces, waits be held, and says who the client is',
    async () => {
      const { url } = await start()
      const resend = new Resend(service.token, { baseUrl: url })

      const content = Buffer.alloc(20 * 1024 * 1024, 'x')
      const { data, error } = await resend.emails.send({
        ...{ from: 'a@acme.dev', to: 'ada@example.com', subject: 'Large', text: 'x' },
        attachments: [{ filename: 'large.bin', content }],
      })
      expect(error).toBeNull()
      const { body } = await ask(`/emails/${data!.id}/attachments`)
      expect(body.data[0].size).toBe(content.length)

      const list = await call(`${url}/contacts`, {})
      expect(list.status).toBe(200)
      expect(JSON.parse(list.text).data.length).toBeGreaterThanOrEqual(CONTACTS)
      expect(list.wasOpenAtFirst).toBe(true)
      expect(list.pieces).toBeGreaterThan(1)

      const held = await call(`${url}/messages/wait?to=nobody@example.com&timeout=1`, {})
      expect(held.status).toBe((await call(`${direct}/messages/wait?to=nobody@example.com&timeout=1`, {})).status)

      const spoofed = { 'x-forwarded-for': '198.51.100.1' }
      const made = await call(`${url}/topics`, {
        ...{ method: 'POST', headers: spoofed },
        body: { name: `By ${url}`, default_subscription: 'opt_in' },
      })
      expect(made.status).toBe(201)
      const { id } = JSON.parse(made.text)
      const { body: audit } = await ask('/audit-events?limit=20')
      const event = audit.data.find(({ object_id }: { object_id: string }) => object_id === id)
      expect(event.ip_address).toBe(CLIENT)
    },
    120_000,
  )
})

/** Delivers a message from the client's address. */
async function deliver(port: number, { isTls, to }: { isTls: boolean; to: string }) {
  const plain = connect({ port, host: '127.0.0.1', localAddress: CLIENT })
  const socket = isTls ? connectTls({ socket: plain, rejectUnauthorized: false }) : plain
  onTestFinished(() => void socket.destroy())
  let text = ''
  const changes = new Changes()
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
    changes.notify()
  })
  const replies = (count: number) => changes.until(() => text.match(/^\d{3} .*\r\n/gm)?.length === count)
  await replies(1)
  socket.write('EHLO client.test\r\n')
  await replies(2)
  socket.write(`MAIL FROM:<a@example.org>\r\nRCPT TO:<${to}>\r\nDATA\r\n`)
  await replies(5)
  socket.write(`From: a@example.org\r\nTo: ${to}\r\nSubject: Hi\r\n\r\nHi\r\n.\r\n`)
  await replies(6)
  expect(text).toMatch(/\r\n250 2\.\d\.\d .*\r\n$/)
}

async function clientAddressesOf(to: string): Promise<string[]> {
  const db = await databaseOf(service)
  const rows = await db.query<{ address: string }>(sql`
    select client_address as address from received_emails where received_for::text like ${`%${to}%`}`)
  return rows.map(({ address }) => address)
}

test.skipIf(!isInstalled('haproxy', '-v'))(
  'haproxy: mail comes from the client behind it, with TLS and without',
  async () => {
    const { smtp, smtps } = await startHaproxy()

    await deliver(smtp, { isTls: false, to: 'plain@in.example.com' })
    await deliver(smtps, { isTls: true, to: 'tls@in.example.com' })

    expect(await clientAddressesOf('plain@in.example.com')).toEqual([CLIENT])
    expect(await clientAddressesOf('tls@in.example.com')).toEqual([CLIENT])
  },
  60_000,
)

const STREAM_MODULE = '/usr/lib/nginx/modules/ngx_stream_module.so'

test.skipIf(!isInstalled('nginx', '-v') || !existsSync(STREAM_MODULE))(
  'nginx: mail comes from the client behind it (needs libnginx-mod-stream)',
  async () => {
    const folder = temporaryFolder()
    const [smtp, smtps] = [await freePort(), await freePort()]
    const text = changed(example('nginx-smtp.conf'), {
      '127.0.0.1:2525': `127.0.0.1:${service.smtpPort}`,
      '127.0.0.1:4650': `127.0.0.1:${tlsPort}`,
      'listen 25;': `listen 127.0.0.1:${smtp};`,
      'listen 465;': `listen 127.0.0.1:${smtps};`,
    })
    writeFileSync(join(folder, 'nginx.conf'), `load_module ${STREAM_MODULE};\nevents {}\n${text}`)
    const more = `daemon off; pid ${folder}/nginx.pid; error_log stderr;`
    const program = startProxy(['nginx', '-p', folder, '-c', join(folder, 'nginx.conf'), '-g', more])
    await isUp(program, async () => existsSync(join(folder, 'nginx.pid')))

    await deliver(smtp, { isTls: false, to: 'plain@nginx.example.com' })
    await deliver(smtps, { isTls: true, to: 'tls@nginx.example.com' })

    expect(await clientAddressesOf('@nginx.example.com')).toEqual([CLIENT, CLIENT])
  },
  60_000,
)

test('traefik: what is not installed here is read, and says what the others do', () => {
  const entry = parse(example('traefik.yml'))
  const { http, tcp } = parse(example('traefik-services.yml'))

  expect(entry.entryPoints.web.transport.respondingTimeouts.readTimeout).toBe('300s')
  expect(http.services.postwren.loadBalancer).toMatchObject({
    healthCheck: { path: '/readyz' },
    servers: [{ url: 'http://127.0.0.1:4025' }],
  })
  for (const [name, { service: of, entryPoints }] of Object.entries<never>(tcp.routers)) {
    expect([of, entryPoints]).toEqual([name, [name]])
    expect(Object.keys(entry.entryPoints)).toContain(name)
    expect((tcp.services as Record<string, { loadBalancer: object }>)[name]!.loadBalancer).toMatchObject({
      proxyProtocol: { version: 2 },
    })
  }
})

test('none cuts what is held for a minute, or an upload of five', () => {
  expect(example('nginx.conf')).toMatch(
    /client_max_body_size 0;[\s\S]*proxy_buffering off;[\s\S]*proxy_read_timeout 300s;/,
  )
  expect(example('haproxy.cfg')).toMatch(/timeout client 5m\n {2}timeout server 5m/)
  expect(example('Caddyfile')).toMatch(/flush_interval -1[\s\S]*response_header_timeout 5m/)
})
