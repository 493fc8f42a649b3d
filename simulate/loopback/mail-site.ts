import { createServer, type Server, type Socket } from 'node:net'
import {
  Conversation,
  type Moment,
  type Reaction,
  type ReceivedMail,
  type Records,
  silence,
  thenHangUp,
} from '../../test/harness/mail-conversation.ts'
import { lineOf, type Reply } from '../sites/replies.ts'
import { Site, type SiteConnection } from '../sites/site.ts'
import type { Identity, SiteDefinition } from '../sites/site-policy.ts'
import { UsageError } from '../usage-error.ts'
import type { Pair } from './policy-host.ts'

const SMTP_PORT = 25

/** A site of the world behind mail servers on loopback: one for each of its hosts, at an address of its own. */
export interface MailSite {
  readonly site: Site
  readonly definition: SiteDefinition
  /** By host. */
  readonly addresses: ReadonlyMap<string, string>
  close(): Promise<void>
}

export async function openMailSite(
  definition: SiteDefinition,
  {
    addressFor,
    pairFor,
    port = SMTP_PORT,
  }: { addressFor: () => string; pairFor?: (host: string) => Pair; port?: number },
): Promise<MailSite> {
  const site = new Site(definition)
  const sockets = new Set<Socket>()
  const addresses = new Map<string, string>()
  const servers: Server[] = []
  for (const host of definition.hosts) {
    const address = addressFor()
    addresses.set(host, address)
    if (definition.temper.reachable === 'refused') continue
    const certificate = definition.temper.tls === 'good' ? pairFor?.(host) : undefined
    const server = createServer({ noDelay: true }, (socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
      converse(site, socket, certificate)
    })
    servers.push(server)
    await listening(server, address, port)
  }
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }
  return { site, definition, addresses, close }
}

const listening = (server: Server, address: string, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      reject(
        new UsageError(
          code === 'EACCES'
            ? 'The simulated mail servers listen on port 25 of loopback: run this as root, or allow it with sysctl net.ipv4.ip_unprivileged_port_start=25.'
            : code === 'EADDRNOTAVAIL'
              ? `${address} is no address of this machine: the simulated mail servers need all of 127.0.0.0/8, as Linux has it.`
              : `${address}:${port} cannot be listened on: ${message}.`,
        ),
      ),
    )
    server.listen(port, address, resolve)
  })

/** The model's half of one connection. */
function converse(site: Site, socket: Socket, certificate: Pair | undefined) {
  const source = socket.remoteAddress ?? 'unknown'
  const { temper } = site.definition
  const seen: ReceivedMail[] = []
  let connection: SiteConnection | null = null
  let sender = { source, spf_domain: '' }

  const react = ({ step, line }: Moment): Reaction | undefined => {
    const nowMs = Date.now()
    if (step === 'CONNECT') {
      const greeting = site.connect(source)
      connection = greeting?.connection ?? null
      return greeting ? (connection ? undefined : reactionTo(greeting.reply)) : silence
    }
    if (!connection) return thenHangUp('421 4.4.2 Bye')
    if (step === 'STARTTLS') site.startTls()
    if (step === 'MAIL') {
      sender = { source, spf_domain: domainIn(line) }
      return reactionTo(site.mail(nowMs, connection, sender))
    }
    if (step === 'RCPT') return reactionTo(site.recipient(nowMs, sender, /<([^>]*)>/.exec(line)?.[1] ?? ''))
    if (step !== 'MESSAGE') return undefined
    const { bytes } = seen.pop()!
    const delayMs = site.delayMs(connection)
    return reactionTo(site.message(nowMs, connection, { ...sender, ...identityIn(bytes) }), delayMs)
  }

  const records: Records = {
    options: {
      ...((temper.tls === 'good' || temper.tls === 'broken') && { tls: temper.tls }),
      ...(certificate && { certificate }),
    },
    react,
    messages: [],
    seen,
    commands: [],
    violations: [],
    counts: new Map(),
    together: 0,
    // What has been taken is counted, and not kept.
    notice: () => {
      records.messages.length = 0
      records.commands.length = 0
      records.violations.length = 0
    },
  }
  socket.on('close', () => connection && site.disconnect(connection))
  new Conversation(records, socket, 1).start().catch(() => socket.destroy())
}

function reactionTo(reply: Reply | null, delayMs = 0): Reaction | undefined {
  if (!reply) return undefined
  const bytes = `${lineOf(reply)}\r\n`
  return { bytes, ...(reply.closes && { drop: true }), ...(delayMs > 0 && { byteMs: delayMs / bytes.length }) }
}

const domainIn = (line: string) => /<[^>]*@([^>]+)>/.exec(line)?.[1]?.toLowerCase() ?? ''

/** What a site can see in a message: who signed it, what it links to, and who sends. */
function identityIn(bytes: Buffer): Pick<Identity, 'dkim_domain' | 'url_domain' | 'tenant'> {
  const text = bytes.toString('latin1')
  const headerEnd = text.indexOf('\r\n\r\n')
  const header = text.slice(0, headerEnd).replace(/\r\n[ \t]+/g, ' ')
  const from = /^from:.*@([a-z0-9.-]+)/im.exec(header)?.[1]?.toLowerCase() ?? ''
  return {
    dkim_domain: /^dkim-signature:.*?\bd=([a-z0-9.-]+)/im.exec(header)?.[1]?.toLowerCase() ?? from,
    url_domain: /https?:\/\/([a-z0-9.-]+)/i.exec(text.slice(headerEnd))?.[1]?.toLowerCase() ?? from,
    tenant: from,
  }
}
