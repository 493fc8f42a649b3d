/** Who is at the other end. Their words may be kept and shown, and are never to be trusted. */
export interface SmtpPeer {
  /** Of the session, for logs. */
  readonly id: string
  readonly address: string
  /** What they call themselves; empty before they have said so. */
  readonly helo: string
  readonly isEncrypted: boolean
}

export interface SmtpRefusal {
  readonly code: number
  /** RFC 3463, like `5.7.1`. */
  readonly enhanced: string
  readonly message: string
  /** A simulated refusal, to see what the client does: nobody has done anything wrong. */
  readonly isStaged?: true
}

export type SmtpAnswer =
  | { readonly kind: 'accepted'; readonly message: string }
  | ({ readonly kind: 'refused' } & SmtpRefusal)

export interface SmtpMail<User> {
  /** The whole message: every line ends in CRLF and the dots are undone. */
  readonly raw: Buffer
  /** Empty for a bounce. */
  readonly from: string
  readonly recipients: readonly string[]
  readonly peer: SmtpPeer
  readonly user: User | null
}

/**
 * What stands behind the listener. A user is whatever `authenticate` gave. What is thrown is logged and answered with 451: the
 * sender keeps the message and tries again.
 */
export interface SmtpHandler<User> {
  authenticate(
    credentials: { readonly username: string; readonly password: string },
    peer: SmtpPeer,
  ): Promise<User | SmtpRefusal>
  /** Asked at MAIL and at the end of DATA: a session lasts an hour, and what its user may do can change or end meanwhile. */
  renew(user: User): Promise<User | SmtpRefusal>
  /** Asked at MAIL, if it is there. Null lets the sender through. */
  checkSender?(
    from: string,
    session: { readonly peer: SmtpPeer; readonly user: User | null },
  ): Promise<SmtpRefusal | null>
  /** Null lets the recipient through. Also the place to refuse a sender: no message comes without a recipient. */
  checkRecipient(
    recipient: string,
    session: { readonly peer: SmtpPeer; readonly user: User | null; readonly from: string },
  ): Promise<SmtpRefusal | null>
  /** Resolves when the message is durable, or refused. */
  take(mail: SmtpMail<User>): Promise<SmtpAnswer>
}

export function isRefusal(value: unknown): value is SmtpRefusal {
  const { code, enhanced, message } = (value ?? {}) as Partial<SmtpRefusal>
  return typeof code === 'number' && typeof enhanced === 'string' && typeof message === 'string'
}
