import { BlockList, isIPv6, type Socket } from 'node:net'
import type { Log } from '../../platform/observability/log.ts'
import { RepeatedErrors } from '../../platform/observability/repeated-errors.ts'
import type { Limits } from './limits.ts'
import { MAX_HEADER_BYTES, readProxyHeader } from './proxy-header.ts'

const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Where the connection comes from, as the network says. */
export const remoteAddressOf = ({ remoteAddress = '' }: Socket) => remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '')

/** The proxies in front of the listener: from these a PROXY header is required, from all others it is none. */
export class Proxies {
  readonly #trusted = new BlockList()
  readonly #limits: Pick<Limits, 'sessions' | 'proxyHeaderMs'>
  readonly #refusals: RepeatedErrors
  readonly #waiting = new Set<Socket>()
  readonly #isEmpty: boolean

  constructor(ranges: readonly string[], limits: Pick<Limits, 'sessions' | 'proxyHeaderMs'>, log: Log) {
    this.#isEmpty = ranges.length === 0
    this.#limits = limits
    this.#refusals = new RepeatedErrors(log, 'smtp: connection of a proxy refused')
    for (const range of ranges.flatMap((name) => NAMED[name] ?? name)) {
      const [address = '', bits] = range.split('/')
      const family = isIPv6(address) ? 'ipv6' : 'ipv4'
      this.#trusted.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
    }
  }

  isTrusted(socket: Socket): boolean {
    if (this.#isEmpty) return false
    const address = remoteAddressOf(socket)
    return this.#trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }

  /**
   * The address of the client behind the proxy; its own when it speaks for itself. What comes behind the header is still to be read. Null: the
   * connection is gone, and was refused if there was no header in time.
   */
  async clientOf(socket: Socket): Promise<string | null> {
    // A proxy that connects and says nothing must not keep all others out.
    if (this.#waiting.size >= this.#limits.sessions)
      return this.#refuse(socket, 'too many connections without a header')
    this.#waiting.add(socket)
    try {
      return await this.#read(socket)
    } finally {
      this.#waiting.delete(socket)
    }
  }

  /** Nobody is let in any more. */
  close() {
    for (const socket of this.#waiting) socket.destroy()
  }

  #read(socket: Socket): Promise<string | null> {
    return new Promise((resolve) => {
      let bytes: Buffer = Buffer.alloc(0)
      const end = (result: string | null) => {
        clearTimeout(timer)
        socket.off('readable', look).off('close', leave).off('end', leave)
        resolve(result)
      }
      const leave = () => {
        socket.destroy()
        end(null)
      }
      const look = () => {
        for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
          bytes = Buffer.concat([bytes, chunk])
          const header = readProxyHeader(bytes)
          if (header.kind === 'invalid') return end(this.#refuse(socket, header.reason))
          if (header.kind === 'header') {
            const rest = bytes.subarray(header.bytes)
            end(header.address ?? remoteAddressOf(socket))
            if (rest.length > 0) socket.unshift(rest)
            return
          }
          if (bytes.length > MAX_HEADER_BYTES) return end(this.#refuse(socket, 'PROXY header too long'))
        }
      }
      const timer = setTimeout(() => end(this.#refuse(socket, 'no PROXY header in time')), this.#limits.proxyHeaderMs)
      timer.unref()
      socket.on('readable', look).on('close', leave).on('end', leave)
    })
  }

  #refuse(socket: Socket, reason: string): null {
    this.#refusals.note(reason, { proxy: remoteAddressOf(socket) })
    socket.destroy()
    return null
  }
}
