import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { OutgoingHttp } from '../../src/adapters/outgoing-http/outgoing-http.ts'
import { selfSigned } from '../../src/adapters/tls/self-signed.ts'

export interface PolicyAnswer {
  status?: number
  type?: string
  location?: string
  body: string
}

/** A key and a certificate of this name. */
export function certificateFor(host: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const cert = selfSigned({ host, privateKey, publicKey, from: new Date('2020-01-01'), until: new Date('2090-01-01') })
  return { cert, key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })) }
}

/**
 * The web server at `mta-sts.DOMAIN` on loopback, with a certificate for that name (or another), and a guarded client that finds and trusts it.
 * Gone when the test ends.
 */
export async function startPolicyServer(domain: string, { certificateName = `mta-sts.${domain}` } = {}) {
  const pair = certificateFor(certificateName)
  const requests: string[] = []
  let answer: PolicyAnswer | null = { body: '' }
  const server: Server = createServer(pair, (request, response) => {
    requests.push(`${request.headers.host?.replace(/:\d+$/, '')}${request.url}`)
    if (!answer) return void request.socket.destroy()
    const { status = 200, type = 'text/plain', location, body } = answer
    response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const http = new OutgoingHttp({
    allowPrivateAddresses: true,
    addressesOf: async () => ['127.0.0.1'],
    trustedCertificates: [pair.cert],
  })
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await http.close(0)
  })
  return {
    port,
    http,
    requests: requests as readonly string[],
    /** Null: it hangs up. */
    answers: (next: PolicyAnswer | string | null) => {
      answer = typeof next === 'string' ? { body: next } : next
    },
  }
}
