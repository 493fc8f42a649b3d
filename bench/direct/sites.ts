import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { openNameServer } from '../../simulate/loopback/name-server.ts'
import { atEnd } from '../cleanup.ts'
import { converse } from '../sink.ts'

const SMTP_PORT = 25
/** Addresses of this machine that nobody else uses. */
const ALIVE = '127.77.0.1'
const SILENT = '127.77.0.2'
const UNAVAILABLE = '127.77.0.3'
const NOBODY = '127.77.0.4'
/** Mail servers are never there, and nothing is sent there: the system refuses. */
const UNROUTABLE = '255.255.255.255'

/** How sites are dead: they take connections and never say a word, refuse them, say that there is no service, or cannot be reached. */
const DEAD = [SILENT, NOBODY, UNAVAILABLE, UNROUTABLE]

/** Receiving sites, each with a domain and a mail server's name of its own, and their name server; in a process of their own. */
export interface Sites {
  /** Where the name server is. */
  readonly dns: string
  /** Publishes these domains; the first `dead` of them are dead. Counts mail for the others from now on. */
  publish(domains: readonly string[], dead: number): Promise<void>
  /** Resolves with the moment at which so many messages have arrived at `others`. */
  reached(messages: number): Promise<number>
  stop(): Promise<void>
}

/** The addresses of recipients that are counted begin with this. */
export const COUNTED = 'others'

export async function startSites(): Promise<Sites> {
  const child = fork(process.argv[1]!, ['sites'], { detached: true })
  const stop = atEnd(() => end(child))
  const [{ dns }] = (await once(child, 'message')) as [{ dns: string }]
  const ask = async (request: SitesRequest) => {
    const answered = once(child, 'message')
    child.send(request)
    await answered
    return performance.now()
  }
  return {
    dns,
    publish: async (domains, dead) => void (await ask({ kind: 'publish', domains, dead })),
    reached: (messages) => ask({ kind: 'tell', messages }),
    stop,
  }
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
}

type SitesRequest =
  | { readonly kind: 'publish'; readonly domains: readonly string[]; readonly dead: number }
  | { readonly kind: 'tell'; readonly messages: number }

/** The other side of it. */
export async function sites() {
  const dns = await openNameServer()
  let arrived = 0
  let wanted = Number.POSITIVE_INFINITY
  const tellIfReached = () => {
    if (arrived < wanted) return
    wanted = Number.POSITIVE_INFINITY
    process.send!({ arrived })
  }
  const count = (recipient: string) => {
    if (recipient.startsWith(COUNTED)) arrived++
    tellIfReached()
  }
  await listen(ALIVE, (socket) => converse(socket, count))
  await listen(SILENT, (socket) => socket.on('error', () => {}).resume())
  await listen(UNAVAILABLE, (socket) => socket.on('error', () => {}).end('421 4.3.2 No service at the moment\r\n'))
  process.on('message', (request: SitesRequest) => {
    if (request.kind === 'tell') {
      wanted = request.messages
      return tellIfReached()
    }
    for (const [index, domain] of request.domains.entries()) {
      dns.set(domain, { MX: [{ exchange: `mx.${domain}`, preference: 10 }] })
      dns.set(`mx.${domain}`, { A: [index < request.dead ? DEAD[index % DEAD.length]! : ALIVE] })
    }
    arrived = 0
    process.send!({ published: true })
  })
  process.on('disconnect', () => process.exit(0))
  process.send!({ dns: dns.address })
}

async function listen(address: string, onConnection: (socket: Socket) => void) {
  const server = createServer({ noDelay: true }, onConnection).listen(SMTP_PORT, address, 4_096)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`Mail servers of this benchmark listen on port 25 of ${address}: ${error.message}`)
  })
}
