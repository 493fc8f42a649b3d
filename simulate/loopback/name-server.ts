import { createSocket, type Socket } from 'node:dgram'
import { createServer, type Server } from 'node:net'
import packet, { type Answer, type DecodedPacket } from 'dns-packet'

/** What the server does instead of answering properly. `truncate` answers over UDP with "ask me over TCP". */
export type DnsFault = 'servfail' | 'refused' | 'silence' | 'truncate'

export interface Zone {
  A?: string[]
  AAAA?: string[]
  CNAME?: string
  MX?: { exchange: string; preference: number }[]
  /** Each record as the strings that it is made of. */
  TXT?: string[][]
  /** For a name like `1.2.0.192.in-addr.arpa`. */
  PTR?: string[]
}

/**
 * A real name server on loopback, over UDP and TCP. A name that was never set does not exist (NXDOMAIN); one that was set has
 * the records it was given and no others (NODATA).
 */
export async function openNameServer({ onQuery = () => {} }: { onQuery?: (query: string) => void } = {}) {
  const zones = new Map<string, Zone>()
  const faults = new Map<string, DnsFault>()

  const answer = (request: DecodedPacket, transport: 'udp' | 'tcp'): Buffer | null => {
    const { name: asked, type } = request.questions![0]!
    const name = asked.toLowerCase()
    onQuery(`${type} ${name}`)
    const fault = faults.get(`${type} ${name}`) ?? faults.get(name)
    if (fault === 'silence') return null
    const head = { type: 'response' as const, id: request.id ?? 0, questions: request.questions! }
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE
    if (fault === 'servfail') return packet.encode({ ...head, flags: flags | 2 })
    if (fault === 'refused') return packet.encode({ ...head, flags: flags | 5 })
    if (fault === 'truncate' && transport === 'udp')
      return packet.encode({ ...head, flags: flags | packet.TRUNCATED_RESPONSE })
    const answers = recordsOf(zones, name, type)
    return packet.encode({ ...head, flags: answers ? flags : flags | 3, answers: answers ?? [] })
  }

  const udp = createSocket('udp4')
  udp.on('message', (message, peer) => {
    const reply = answer(packet.decode(message), 'udp')
    if (reply) udp.send(reply, peer.port, peer.address)
  })
  const tcp = createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE()) {
        const end = 2 + received.readUInt16BE()
        const reply = answer(packet.decode(received.subarray(2, end)), 'tcp')
        received = received.subarray(end)
        if (reply) socket.write(Buffer.concat([Buffer.from([reply.length >> 8, reply.length & 0xff]), reply]))
      }
    })
  })
  const port = await listenOnBoth(udp, tcp)

  return {
    address: `127.0.0.1:${port}`,
    set: (name: string, zone: Zone) => void zones.set(name, zone),
    remove: (name: string) => void zones.delete(name),
    /** For a name, or for one type of it (`MX example.com`). `null` makes it well again. */
    fault: (nameOrQuery: string, fault: DnsFault | null) =>
      void (fault ? faults.set(nameOrQuery, fault) : faults.delete(nameOrQuery)),
    close: () => {
      udp.close()
      tcp.close()
    },
  }
}

/** Null: the name does not exist. Aliases are followed, as a recursive name server does. */
function recordsOf(zones: Map<string, Zone>, name: string, type: string, depth = 0): Answer[] | null {
  const zone = zones.get(name)
  if (!zone) return null
  const head = { name, ttl: 0 }
  if (zone.CNAME !== undefined && depth < 8) {
    const alias: Answer = { ...head, type: 'CNAME', data: zone.CNAME }
    if (type === 'CNAME') return [alias]
    const target = recordsOf(zones, zone.CNAME, type, depth + 1)
    return target && [alias, ...target]
  }
  if (type === 'A') return (zone.A ?? []).map((data) => ({ ...head, type: 'A', data }))
  if (type === 'AAAA') return (zone.AAAA ?? []).map((data) => ({ ...head, type: 'AAAA', data }))
  if (type === 'MX') return (zone.MX ?? []).map((data) => ({ ...head, type: 'MX', data }))
  if (type === 'TXT') return (zone.TXT ?? []).map((data) => ({ ...head, type: 'TXT', data }))
  if (type === 'PTR') return (zone.PTR ?? []).map((data) => ({ ...head, type: 'PTR', data }))
  return []
}

/** The same port number must be free for both, which one can only find out by trying. */
async function listenOnBoth(udp: Socket, tcp: Server): Promise<number> {
  for (;;) {
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve))
    const { port } = tcp.address() as { port: number }
    const isBound = await new Promise<boolean>((resolve) => {
      udp.once('error', () => resolve(false))
      udp.bind(port, '127.0.0.1', () => resolve(true))
    })
    if (isBound) return port
    await new Promise((resolve) => tcp.close(resolve))
  }
}
