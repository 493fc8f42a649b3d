import { type AddressInfo, createServer, type ListenOptions, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { Conversation, type MailServerOptions, type MailStep, type ReceivedMail } from './mail-conversation.ts'

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

/**
 * A mail server on loopback that does what a test tells it, down to the single byte (`react`). It takes every message that it
 * is not told to refuse, keeps it, and lets tests wait for what they expect instead of sleeping. Gone when the test ends. One that comes
 * back is `at` the port of the one before.
 */
export async function startMailServer({ at = {}, ...options }: MailServerOptions & { at?: ListenOptions } = {}) {
  const records = {
    options,
    react: options.react ?? (() => undefined),
    messages: [] as ReceivedMail[],
    seen: [] as ReceivedMail[],
    commands: [] as string[],
    violations: [] as string[],
    counts: new Map<string, number>(),
    together: 0,
    notice: () => {
      for (const look of waiting) look()
    },
  }
  const sockets = new Set<Socket>()
  const waiting = new Set<() => void>()
  const connections = { total: 0, open: 0, peak: 0 }
  const clients: (string | undefined)[] = []
  const peaks = new Map<string, number>()

  // Without it the single replies to a pipelined envelope wait for each other, 40 ms a message.
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    clients.push(socket.remoteAddress)
    connections.total++
    connections.open = sockets.size
    // One that the server has ended itself is over, whenever the client hears of it.
    const current = [...sockets].filter(({ writableEnded }) => !writableEnded).length
    connections.peak = Math.max(connections.peak, current)
    const client = socket.remoteAddress ?? ''
    const same = [...sockets].filter((one) => !one.writableEnded && one.remoteAddress === client).length
    peaks.set(client, Math.max(peaks.get(client) ?? 0, same))
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      connections.open = sockets.size
      records.notice()
    })
    records.notice()
    new Conversation(records, socket, connections.total).start().catch(() => socket.destroy())
  })

  /** Resolves as soon as the condition holds, looking again whenever something happens on the server. */
  const until = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!condition()) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })

  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0, ...at }, resolve))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(stop)

  return {
    port,
    /** As a host of a destination. */
    host: { host: 'mail.test', address: '127.0.0.1', port, secure: options.secure === true },
    /** Those that the server has said yes to. */
    messages: records.messages as readonly ReceivedMail[],
    /** Those that came in to the last byte, whatever the server said then, or whether it said anything. */
    seen: records.seen as readonly ReceivedMail[],
    commands: records.commands as readonly string[],
    /** Where the client did what the server had not offered. */
    violations: records.violations as readonly string[],
    connections: connections as Readonly<typeof connections>,
    /** The address of each connection's other end. */
    clients: clients as readonly (string | undefined)[],
    /** How many connections a client had at once, by its address. */
    peaks: peaks as ReadonlyMap<string, number>,
    /** How many commands came together with the next. */
    get together() {
      return records.together
    },
    /** To whoever is connected, whatever they wait for. */
    say: (bytes: string) => {
      for (const socket of sockets) socket.write(bytes)
    },
    /** How often the server has been at a step. */
    count: (step: MailStep) => records.counts.get(step) ?? 0,
    /** Changes the script from here on. */
    react: (next: NonNullable<MailServerOptions['react']>) => {
      records.react = next
    },
    until,
    /** Resolves once that many messages have been accepted. */
    received: async (count: number) => {
      await until(() => records.messages.length >= count)
      return records.messages as readonly ReceivedMail[]
    },
    /** Resolves once no connection is open. */
    closed: () => until(() => connections.open === 0),
    /** Before the test ends: from here on connections are refused. */
    stop,
  }
}
