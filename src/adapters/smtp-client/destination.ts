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
  /** Best first. */
  readonly hosts: readonly Host[]
  /** Sessions open at once, in this process, where it is not as many as to others. */
  readonly maxConnections?: number
  /** Where there is no host: why, as a reply. */
  readonly problem?: string
  /** How long it is left alone, at most, when it cannot be talked to. Unset: as long as one that asks for less. */
  readonly maxUnreachableMs?: number
}

export interface Envelope {
  /** Empty for bounces. */
  readonly from: string
  readonly to: readonly string[]
  /** Nothing is said before the session is encrypted and the host has proved its name. */
  readonly requireTls: boolean
  /** An address in the envelope or in the header is not ASCII. */
  readonly needsUtf8: boolean
  /** The same message for a server that takes no 8-bit content (RFC 6152), as far as it can be spelled so. Unset: it is 7-bit. */
  inSevenBits?(): Promise<Buffer>
}
