import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { selfSigned } from '../../src/adapters/tls/self-signed.ts'
import { POLICY_LABEL } from '../../src/mail/hosted-policy.ts'
import { writeStsPolicy } from '../../src/mail/mta-sts.ts'
import type { SiteDefinition } from '../sites/site-policy.ts'

const HTTPS_PORT = 443
const POLICY_PATH = '/.well-known/mta-sts.txt'
const MAX_AGE_SECONDS = 86_400

export interface Pair {
  readonly key: string
  readonly cert: string
}

/** Certificates of the simulated internet, which the program trusts besides those that everybody trusts. */
export function openAuthority() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const [from, until] = [new Date('2020-01-01'), new Date('2090-01-01')]
  const pairs = new Map<string, Pair>()
  const folder = mkdtempSync(join(tmpdir(), 'postwren-simulate-tls-'))
  const file = join(folder, 'trusted.pem')
  return {
    pairFor(host: string): Pair {
      const pair = pairs.get(host) ?? { key, cert: selfSigned({ host, privateKey, publicKey, from, until }) }
      pairs.set(host, pair)
      return pair
    },
    /** A file with all that there are. */
    trusted() {
      writeFileSync(file, [...pairs.values()].map(({ cert }) => cert).join('\n'))
      return file
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The web server that has the MTA-STS policies of these sites, each under the names of its domains. */
export async function openPolicyHost(
  sites: readonly SiteDefinition[],
  { address, pairFor, port = HTTPS_PORT }: { address: string; pairFor: (host: string) => Pair; port?: number },
) {
  const policies = new Map<string, { readonly domain: string; readonly text: string }>()
  for (const { domains, hosts, temper } of sites) {
    const { mta_sts: mode = 'none' } = temper
    if (mode === 'none') continue
    const text = writeStsPolicy({ mode, mx: hosts, maxAgeSeconds: MAX_AGE_SECONDS })
    for (const domain of domains) policies.set(`${POLICY_LABEL}.${domain}`, { domain, text })
  }
  const contexts = new Map([...policies.keys()].map((host) => [host, createSecureContext(pairFor(host))]))
  const server = createServer(
    { SNICallback: (host, done) => done(null, contexts.get(host)) },
    ({ headers, url }, response) => {
      const policy = url === POLICY_PATH ? policies.get(headers.host ?? '') : undefined
      if (!policy) return void response.writeHead(404).end()
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(policy.text)
    },
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, resolve)
  })
  return {
    domains: [...policies.values()].map(({ domain }) => domain),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
