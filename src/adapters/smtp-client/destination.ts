import type { SourceAddresses } from '../../platform/settings/settings.ts'
import type { Timeouts } from './timeouts.ts'

/** One address of one machine that takes mail. A machine with several addresses is several hosts of the same name. */
export interface Host {
  /** The name that its certificate must carry. */
  readonly host: string
  /** An IP address: names are resolved before, by the one resolver that checks what comes out. */
  readonly address: string
  readonly port: number
  /** TLS from the first byte (port 465) instead of STARTTLS. */
  readonly secure: boolean
  readonly auth?: { readonly user: string; readonly pass: string }
}

/** Where mail of one kind goes: the machines that take it for a recipient's domain, or the relay. */
export interface Destination {
  /** The key of the pool and of the limits. */
  readonly name: string
  /** Whose servers they all are, if it is a provider that is known. */
  readonly provider?: string
  /** The names of the servers that are asked first, where `name` is not these. */
  readonly site?: string
  /** Best first. */
  readonly hosts: readonly Host[]
  /** Sessions open at once, in this process, where it is not as many as to others. */
  readonly maxConnections?: number
  /** It is a ceiling: conversations that take long count as all others do. */
  readonly hasConnectionCeiling?: boolean
  /** After so many messages a session ends, where it is not as with others. */
  readonly messagesPerConnection?: number
  /** Where they are not those of others. */
  readonly timeouts?: Partial<Timeouts>
  /** All mail to it demands TLS and a proof of the host's name. */
  readonly requireTls?: boolean
  /** Where there is no host: why, as a reply. */
  readonly problem?: string
  /** Set: nothing is said before a session is encrypted and the host has proved its name. Who asks for that, in words. */
  readonly tlsDemandedBy?: string
  /** Told how TLS went with each host that a session was begun with for this destination. */
  readonly onTls?: (seen: TlsSeen) => void
  /** Where mail leaves from, where it is not as with others: sessions of each source are a pool of their own. */
  readonly source?: ClientSource
  /** How long it is left alone, at most, when it cannot be talked to. Unset: ten minutes. */
  readonly maxUnreachableMs?: number
}

/** An address of this machine that mail leaves from. */
export interface ClientSource {
  readonly name: string
  readonly addresses: SourceAddresses
  /** What we call ourselves in EHLO there. */
  readonly heloName: string
}

/** The name of the pool of sessions to a destination. */
export const poolNameOf = ({ name, source }: Pick<Destination, 'name' | 'source'>) =>
  source ? `${name} from ${source.name}` : name

/** Whether a pool is one of a destination, from whatever source. */
export const isPoolOf = (pool: string, destination: string) =>
  pool === destination || pool.startsWith(`${destination} from `)

/** In the words of RFC 8460, 4.3. */
export type TlsResult =
  | 'success'
  | 'starttls-not-supported'
  | 'certificate-host-mismatch'
  | 'certificate-expired'
  | 'certificate-not-trusted'
  | 'validation-failure'

/** How TLS went with a host, whether or not it was demanded. */
export interface TlsSeen {
  readonly host: string
  readonly address: string
  /** Ours. Null: it is not known. */
  readonly localAddress: string | null
  readonly result: TlsResult
  /** Whether mail could go over it encrypted, be it to whoever answered. */
  readonly isEncrypted: boolean
  /** What went wrong, in words. */
  readonly reason?: string
}

export interface Envelope {
  /** Empty for bounces. */
  readonly from: string
  /** Names the mail for this recipient: the same at each attempt. For who can be asked not to take it twice. */
  readonly id?: string
  readonly to: readonly string[]
  /** Nothing is said before the session is encrypted and the host has proved its name. */
  readonly requireTls: boolean
  /** An address in the envelope or in the header is not ASCII. */
  readonly needsUtf8: boolean
  /** The same message for a server that takes no 8-bit content (RFC 6152), as far as it can be spelled so. Unset: it is 7-bit. */
  readonly inSevenBits?: (() => Promise<Buffer>) | undefined
}
