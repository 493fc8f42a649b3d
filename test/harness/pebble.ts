import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { OutgoingHttp } from '../../src/adapters/outgoing-http/outgoing-http.ts'
import { certificateFor } from './policy-server.ts'

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Let's Encrypt's small authority for tests (Debian: `pebble`), which refuses a part of all nonces on purpose. Gone when the test ends. */
export async function startPebble({ dns, httpPort, tlsPort }: { dns: string; httpPort: number; tlsPort: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-pebble-'))
  const pair = certificateFor('localhost')
  const port = await freePort()
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const config = file(
    'config.json',
    JSON.stringify({
      pebble: {
        ...{ listenAddress: `127.0.0.1:${port}`, managementListenAddress: '', ocspResponderURL: '' },
        ...{ certificate: file('cert.pem', pair.cert), privateKey: file('key.pem', pair.key), httpPort, tlsPort },
      },
    }),
  )
  const authority = spawn('pebble', ['-config', config, '-strict', '-dnsserver', dns], {
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0', PEBBLE_WFE_NONCEREJECT: '20' },
    stdio: 'ignore',
  })
  const http = new OutgoingHttp({ allowPrivateAddresses: true, trustedCertificates: [pair.cert] })
  onTestFinished(async () => {
    authority.kill('SIGKILL')
    await http.close(0)
    rmSync(folder, { recursive: true, force: true })
  })
  while (!(await isListening(port)))
    if (authority.exitCode !== null) throw new Error(`pebble ended with ${authority.exitCode}`)
  return { directory: `https://localhost:${port}/dir`, http }
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
