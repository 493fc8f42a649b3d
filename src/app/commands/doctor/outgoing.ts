import { connect } from 'node:net'
import { createResolver, type Resolver } from '../../../adapters/dns/resolver.ts'
import { nameServers } from '../../../platform/settings/config.ts'
import { sourceAddressTrouble } from '../source-address.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

const DNS_LIMITS = { timeoutMs: 2_000, tries: 2 }
const CONNECT_MS = 5_000

/** Whose mail servers are asked: they are always there. One of them is enough. */
const WELL_KNOWN = ['gmail.com', 'outlook.com', 'icloud.com']

/** Where this connects to, in tests. */
interface Outside {
  readonly domains?: readonly string[]
  readonly port?: number
}

/** Many providers close port 25 to the outside, and then no mail leaves directly. Connects to a mail server, and says nothing to it. */
export async function checkOutgoing(
  { config }: CheckInput,
  { domains = WELL_KNOWN, port = 25 }: Outside = {},
): Promise<Finding[]> {
  const source = await sourceAddressTrouble(config)
  if (source !== null) return [fault('outgoing', source)]
  if (config.DELIVERY !== 'direct' || !config.ROLES.includes('delivery')) return []
  const resolver = createResolver({ ...nameServers(config), ...DNS_LIMITS })
  const tried = await Promise.all(
    domains.map((domain) => reach(resolver, domain, { port, localAddress: config.SOURCE_ADDRESS.v4 })),
  )
  const reached = tried.find((attempt) => attempt?.error === null)
  if (reached) return [fine('outgoing', `Outgoing port ${port} is open: ${reached.host} answers.`)]
  const refused = tried.filter((attempt) => attempt !== null)
  if (refused.length === 0)
    return [warning('outgoing', `Outgoing port ${port} was not checked: no mail server was found in the DNS.`)]
  const reasons = refused.map(({ host, error }) => `${host} ${error}`).join(', ')
  return [
    fault(
      'outgoing',
      `Outgoing port ${port} seems to be blocked (${reasons}), so direct delivery fails: ask your provider to open it, or use POSTWREN_DELIVERY=relay.`,
    ),
  ]
}

interface Way {
  readonly port: number
  readonly localAddress: string | undefined
}

/** The first mail server of a domain, and what went wrong with it. Null: the DNS knows none. */
async function reach(resolver: Resolver, domain: string, way: Way) {
  const exchangers = await resolver.lookup(domain, 'MX')
  if (exchangers.kind !== 'found') return null
  const [first] = [...exchangers.records].sort((a, b) => a.preference - b.preference)
  const addresses = await resolver.lookup(first!.exchange, 'A')
  if (addresses.kind !== 'found') return null
  return { host: first!.exchange, error: await tryToConnect(addresses.records[0]!, way) }
}

function tryToConnect(host: string, { port, localAddress }: Way): Promise<string | null> {
  return new Promise((done) => {
    const socket = connect({ host, port, ...(localAddress && { localAddress }) })
    const end = (error: string | null) => {
      socket.destroy()
      done(error)
    }
    socket.setTimeout(CONNECT_MS, () => end(`did not answer within ${CONNECT_MS / 1_000} s`))
    socket.once('connect', () => end(null))
    socket.once('error', (error: NodeJS.ErrnoException) => end(`cannot be reached (${error.code})`))
  })
}
