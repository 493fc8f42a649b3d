import { spawnSync } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { request } from 'node:https'
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { connect, createServer as createTlsServer } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newToken } from '../../src/features/api-keys/token.ts'
import { tokenPrefix } from '../../src/kernel/http/auth.ts'
import { LinkSigner } from '../../src/platform/links.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../harness/mail-conversation.ts'
import { freePort } from '../harness/postgres-server.ts'
import { Program } from '../harness/program.ts'
import { eventually, temporaryFolder } from '../harness/service.ts'

// The examples in examples/cells, as they are but for names, ports and certificates. Behind them each cell says its name.

const isInstalled = (program: string) => spawnSync(program, ['-v']).status === 0

/** A cell: what comes to it is answered with its name. */
async function startCell(name: string) {
  const web = createServer((_request, response) => response.end(name))
  const smtps = createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (socket) => {
    socket.on('error', () => {})
    socket.end(`220 ${name}\r\n`)
  })
  // With `POSTWREN_SMTP_PROXIES` a line that says who has connected comes first.
  const smtp = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => socket.end(`220 ${name} ${data.toString('latin1').split('\r\n')[0]}\r\n`))
  })
  const proxied = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data: Buffer) => {
      const end = data.indexOf('\r\n') + 2
      socket.pause()
      if (end < data.length) socket.unshift(data.subarray(end))
      smtps.emit('connection', socket)
    })
  })
  for (const server of [web, smtps, smtp, proxied]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
  }
  web.on('connection', (socket) => onClose(() => socket.destroy()))
  const portOf = (server: { address(): AddressInfo | string | null }) => (server.address() as AddressInfo).port
  return { web: portOf(web), smtps: portOf(smtps), smtp: portOf(smtp), proxied: portOf(proxied) }
}

const onClose = (act: () => unknown) => {
  closing.push(act)
}
const closing: (() => unknown)[] = []

type Cell = Awaited<ReturnType<typeof startCell>>

/** The folder of the examples with a line for a key whose team has moved, and the certificate. */
function folderFor(moved: string): string {
  const folder = temporaryFolder()
  for (const name of readdirSync('examples/cells')) copyFileSync(join('examples/cells', name), join(folder, name))
  writeFileSync(join(folder, 'fullchain.pem'), CERTIFICATE)
  writeFileSync(join(folder, 'privkey.pem'), PRIVATE_KEY)
  writeFileSync(join(folder, 'both.pem'), `${CERTIFICATE}\n${PRIVATE_KEY}`)
  appendFileSync(join(folder, 'cells-keys.map'), `${tokenPrefix(moved)} us1\n`)
  appendFileSync(join(folder, 'cells-moved.map'), `"~^Bearer ${tokenPrefix(moved)}" us1;\n`)
  return folder
}

const changed = (folder: string, name: string, changes: Record<string, string>) => {
  let text = readFileSync(join(folder, name), 'utf8')
  for (const [from, to] of Object.entries(changes)) {
    expect(text).toContain(from)
    text = text.replaceAll(from, to)
  }
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

interface Started {
  readonly port: number
  readonly smtps: number
  readonly program: Program
}

async function startHaproxy(folder: string, { eu1, us1 }: { eu1: Cell; us1: Cell }): Promise<Started> {
  const [port, smtps] = [await freePort(), await freePort()]
  const file = changed(folder, 'haproxy.cfg', {
    '/etc/haproxy/mail.example.com.pem': join(folder, 'both.pem'),
    '/etc/haproxy/': `${folder}/`,
    'bind :443': `bind 127.0.0.1:${port}`,
    'bind 192.0.2.1:25': `bind 127.0.0.1:${await freePort()}`,
    'bind 192.0.2.2:25': `bind 127.0.0.1:${await freePort()}`,
    'bind :465': `bind 127.0.0.1:${smtps}`,
    '127.0.0.1:4025': `127.0.0.1:${eu1.web}`,
    '127.0.0.1:5025': `127.0.0.1:${us1.web}`,
    // The doubles behind it do not speak the PROXY protocol.
    '127.0.0.1:4650 send-proxy-v2': `127.0.0.1:${eu1.smtps}`,
    '127.0.0.1:5650 send-proxy-v2': `127.0.0.1:${us1.smtps}`,
  })
  return { port, smtps, program: new Program(['haproxy', '-db', '-f', file], { isForeground: true }) }
}

async function startNginx(folder: string, { eu1, us1 }: { eu1: Cell; us1: Cell }): Promise<Started> {
  const port = await freePort()
  const file = changed(folder, 'nginx.conf', {
    '/etc/nginx/': `${folder}/`,
    '/etc/ssl/mail.example.com/': `${folder}/`,
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    '127.0.0.1:4025': `127.0.0.1:${eu1.web}`,
    '127.0.0.1:5025': `127.0.0.1:${us1.web}`,
    'http {': `http {\n access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;`,
  })
  const more = `daemon off; pid ${folder}/nginx.pid; error_log stderr;`
  return {
    port,
    smtps: 0,
    program: new Program(['nginx', '-p', folder, '-c', file, '-g', more], { isForeground: true }),
  }
}

/** Debian's module: in a package of its own (libnginx-mod-stream). */
const STREAM_MODULE = '/usr/lib/nginx/modules/ngx_stream_module.so'

/** The example for SMTP, included as it says. */
async function startNginxForSmtp(folder: string, { eu1, us1 }: { eu1: Cell; us1: Cell }) {
  const [mx1, mx2, smtps] = [await freePort(), await freePort(), await freePort()]
  const example = changed(folder, 'nginx-smtp.conf', {
    'listen 192.0.2.1:25': `listen 127.0.0.1:${mx1}`,
    'listen 192.0.2.2:25': `listen 127.0.0.1:${mx2}`,
    'listen 465': `listen 127.0.0.1:${smtps}`,
    '127.0.0.1:2525': `127.0.0.1:${eu1.smtp}`,
    '127.0.0.1:3525': `127.0.0.1:${us1.smtp}`,
    '127.0.0.1:4650': `127.0.0.1:${eu1.proxied}`,
    '127.0.0.1:5650': `127.0.0.1:${us1.proxied}`,
  })
  const main = join(folder, 'main.conf')
  writeFileSync(main, `load_module ${STREAM_MODULE};\nevents {}\ninclude ${example};\n`)
  const more = `daemon off; pid ${folder}/nginx.pid; error_log stderr;`
  const program = new Program(['nginx', '-p', folder, '-c', main, '-g', more], { isForeground: true })
  return { mx1, mx2, smtps, program }
}

/** Which cell answers. */
const ask = (port: number, { path = '/emails', host = 'mail.example.com', token = '' } = {}) =>
  new Promise<string>((resolve, reject) => {
    const headers = { host, ...(token && { authorization: `Bearer ${token}` }) }
    const sent = request({ port, host: '127.0.0.1', path, headers, rejectUnauthorized: false }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve(text)
    })
    sent.on('error', reject)
    sent.end()
  })

const greetingOf = (port: number, servername: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false })
    socket.on('error', reject)
    socket.once('data', (data) => resolve(data.toString().trim()))
  })

describe.each([
  { name: 'haproxy', start: startHaproxy },
  { name: 'nginx', start: startNginx },
])('$name', ({ name, start }) => {
  test.skipIf(!isInstalled(name))(
    `routes keys, links and hosts to their cells (needs ${name})`,
    async () => {
      const [eu1, us1] = [await startCell('eu1'), await startCell('us1')]
      onTestFinished(() => {
        for (const act of closing.splice(0)) act()
      })
      const moved = newToken({ CELL: 'eu1' })
      const linkOf = (cell: string) =>
        `/c/${new LinkSigner([Buffer.alloc(32)], { own: cell, urls: new Map() }).sign('click', { t: 'x' }, null)}`
      const { port, smtps, program } = await start(folderFor(moved), { eu1, us1 })
      await eventually(() => {
        if (program.hasEnded) throw new Error(program.stderr + program.stdout)
        return ask(port).then(
          (answer) => answer === 'eu1',
          () => false,
        )
      })

      expect(await ask(port, { token: newToken({ CELL: 'eu1' }) })).toBe('eu1')
      expect(await ask(port, { token: newToken({ CELL: 'us1' }) })).toBe('us1')
      expect(await ask(port, { token: moved })).toBe('us1')
      // From before there were cells.
      expect(await ask(port, { token: newToken() })).toBe('eu1')
      expect(await ask(port, { path: linkOf('us1') })).toBe('us1')
      expect(await ask(port, { path: linkOf('eu1'), host: 'us1.example.com' })).toBe('eu1')
      expect(await ask(port, { path: '/dashboard', host: 'us1.example.com' })).toBe('us1')
      if (smtps === 0) return
      expect(await greetingOf(smtps, 'us1.example.com')).toBe('220 us1')
      expect(await greetingOf(smtps, 'eu1.example.com')).toBe('220 eu1')
    },
    60_000,
  )
})

/** What the cell says to a client that waits for its greeting. */
const firstLineOf = (port: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = connectTcp({ port, host: '127.0.0.1' })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('closed')))
    socket.once('data', (data) => {
      resolve(data.toString().trim())
      socket.destroy()
    })
  })

test.skipIf(!isInstalled('nginx') || !existsSync(STREAM_MODULE))(
  'nginx routes SMTP by address and by the name that a client asks for (needs nginx and libnginx-mod-stream)',
  async () => {
    const [eu1, us1] = [await startCell('eu1'), await startCell('us1')]
    onTestFinished(() => {
      for (const act of closing.splice(0)) act()
    })
    const { mx1, mx2, smtps, program } = await startNginxForSmtp(folderFor(newToken()), { eu1, us1 })
    await eventually(() => {
      if (program.hasEnded) throw new Error(program.stderr + program.stdout)
      return firstLineOf(mx1).then(
        () => true,
        () => false,
      )
    })

    expect(await firstLineOf(mx1)).toMatch(/^220 eu1 PROXY TCP4 127\.0\.0\.1 127\.0\.0\.1 \d+ \d+$/)
    expect(await firstLineOf(mx2)).toMatch(/^220 us1 PROXY TCP4 /)
    expect(await greetingOf(smtps, 'us1.example.com')).toBe('220 us1')
    expect(await greetingOf(smtps, 'eu1.example.com')).toBe('220 eu1')
    expect(await greetingOf(smtps, 'unknown.example.com')).toBe('220 eu1')
  },
  60_000,
)
