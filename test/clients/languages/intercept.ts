import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { atEnd } from '../../../bench/cleanup.ts'

export interface Intercepted {
  readonly environment: Record<string, string>
}

const HOST = 'api.resend.com'
const PASSWORD = 'changeit'

/**
 * The SDK for Java has its address as a constant. So its calls go through a proxy that a JVM can be told of from outside: it answers
 * for that address with a certificate of its own, which only this JVM trusts, and passes the requests on to the service here.
 */
export async function interceptJava(url: string, folder: string): Promise<Intercepted> {
  const keys = join(folder, 'keys.p12')
  const trusted = join(folder, 'trusted.p12')
  const certificate = join(folder, 'certificate.pem')
  for (const file of [keys, trusted, certificate]) rmSync(file, { force: true })
  const store = (file: string) => ['-keystore', file, '-storetype', 'PKCS12', '-storepass', PASSWORD, '-alias', 'here']
  keytool(['-genkeypair', ...store(keys), '-keyalg', 'EC', '-dname', `CN=${HOST}`, '-ext', `san=dns:${HOST}`])
  keytool(['-exportcert', '-rfc', ...store(keys), '-file', certificate])
  keytool(['-importcert', '-noprompt', ...store(trusted), '-file', certificate])
  const inner = createSecureServer({ pfx: readFileSync(keys), passphrase: PASSWORD }, (incoming, reply) => {
    const { method } = incoming
    const { hostname, port, host } = new URL(url)
    const headers = { ...incoming.headers, host }
    const passed = request({ hostname, port, method, path: incoming.url, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply)
    })
    passed.on('error', () => reply.destroy())
    incoming.pipe(passed)
  })
  const innerPort = await listen(inner)
  const proxy = createServer()
  proxy.on('connect', (_, client, head) => {
    const tunnel = connect(innerPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      tunnel.write(head)
      tunnel.pipe(client).pipe(tunnel)
    })
    tunnel.on('error', () => client.destroy())
    client.on('error', () => tunnel.destroy())
  })
  const flags = {
    'https.proxyHost': '127.0.0.1',
    'https.proxyPort': await listen(proxy),
    'javax.net.ssl.trustStore': trusted,
    'javax.net.ssl.trustStorePassword': PASSWORD,
  }
  const words = Object.entries(flags).map(([name, value]) => `-D${name}=${value}`)
  return { environment: { JDK_JAVA_OPTIONS: words.join(' ') } }
}

function keytool(words: readonly string[]) {
  const done = spawnSync('keytool', words, { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`keytool: ${done.stdout}${done.stderr}`)
}

async function listen(
  server: ReturnType<typeof createServer> | ReturnType<typeof createSecureServer>,
): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
