export interface Limits {
  /** Sessions at once, over all ports. */
  readonly sessions: number
  /** Sessions at once of one address (IPv6: of one /64, which is what one customer gets). */
  readonly sessionsPerAddress: number
  readonly recipients: number
  readonly messagesPerSession: number
  /** Of the header of a message. */
  readonly headerBytes: number
  readonly headerFields: number
  /** Commands that were refused for good, whatever the reason, before the session ends. */
  readonly errors: number
  readonly failedLogins: number
  /** Before the answer to the first failed login of a session; twice as long for each further one. */
  readonly loginDelayMs: number
  /** For the PROXY header of a trusted proxy, which comes with the connection. */
  readonly proxyHeaderMs: number
  /** For the whole of the next command: a byte now and then gains no time. */
  readonly commandMs: number
  readonly handshakeMs: number
  /** Silence inside a message, also between two of its chunks. */
  readonly silenceMs: number
  /** For a whole message, however it trickles. */
  readonly dataMs: number
  /** For a session; a message that has begun by then is still taken. */
  readonly sessionMs: number
  /** Bytes of messages in memory, over all sessions. */
  readonly memoryBytes: number
}

const MINUTE = 60_000

// Five minutes for a command and three for a block of data are what RFC 5321 (4.5.3.2) asks of a server; 100 recipients are the
// least that it allows (4.5.3.1.8). Half an hour lets 40 MB through a line of 200 kbit/s. Headers of real mail have up to 60 kB and
// some 200 fields; no large provider lets more than 500 kB through.
export const LIMITS: Limits = {
  sessions: 1_000,
  sessionsPerAddress: 200,
  recipients: 100,
  messagesPerSession: 10_000,
  headerBytes: 512 * 1024,
  headerFields: 2_000,
  errors: 20,
  failedLogins: 4,
  loginDelayMs: 1_000,
  proxyHeaderMs: 10_000,
  commandMs: 5 * MINUTE,
  handshakeMs: MINUTE / 2,
  silenceMs: 3 * MINUTE,
  dataMs: 30 * MINUTE,
  sessionMs: 60 * MINUTE,
  memoryBytes: 160 * 1024 * 1024,
}
