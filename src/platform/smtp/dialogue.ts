import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'

type Answered = (error: Error | null, reply?: string) => void

interface Inside {
  _responseActions: ((reply: string) => void)[]
  _actionSMTPStream(reply: string, callback: Answered): void
  _createSendStream(callback: Answered): unknown
  _onData(chunk: Buffer): void
  _sendCommand(line: string, logged?: string): void
}

const Connection = SMTPConnection as unknown as new (options: SMTPConnectionOptions) => SMTPConnection & Inside

/**
 * nodemailer's connection with four things mended, all inside it, all held by tests, and its version is pinned:
 *
 * - it asks for SMTPUTF8 when the envelope is not ASCII; a header that is not needs it just as much (RFC 6531, section 3.4).
 * - it bounds one reply, but not how many replies a server sends that nobody asked for.
 * - it looks at every byte of a message, in a stream of streams. Ours come whole, with every line ended by CR LF, and leave in one
 *   write with the dots doubled: a tenth of the work of delivering a mail.
 * - it cannot be asked not to end a message that it has begun.
 */
export class Dialogue extends Connection {
  needsUtf8 = false
  /** Asked last before the end of a message is sent. Without a yes it never is, and the connection is over. */
  mayEnd = () => true
  onWithdrawn = () => {}
  #allowedBytes = 0

  /** How much the server may say from here on. */
  allow(bytes: number) {
    this.#allowedBytes = bytes
  }

  override _onData(chunk: Buffer) {
    this.#allowedBytes -= chunk.length
    if (this.#allowedBytes >= 0) super._onData(chunk)
    else if (this._socket) this._socket.destroy(new Error('the replies are too long'))
  }

  override _sendCommand(line: string, logged?: string) {
    const isMissing = this.needsUtf8 && line.startsWith('MAIL FROM:') && !/> (.* )?SMTPUTF8( |$)/.test(line)
    super._sendCommand(isMissing ? `${line} SMTPUTF8` : line, logged)
  }

  override _createSendStream(callback: Answered) {
    this._responseActions.push((reply) => this._actionSMTPStream(reply, callback))
    return { end: (message: Buffer) => this.#write(message) }
  }

  #write(message: Buffer) {
    const socket = this._socket
    if (!socket) return
    if (message.length <= AT_ONCE_BYTES) {
      if (!this.mayEnd()) return this.#withdraw()
      socket.cork()
      for (const piece of dotStuffed(message)) socket.write(piece)
      socket.write(endOf(message))
      socket.uncork()
      return
    }
    for (const piece of dotStuffed(message)) socket.write(piece)
    // A large one can be on its way for minutes, and its end must not be in the pipe already when the time comes to ask.
    socket.write('', () => {
      if (this.destroyed || !socket.writable) return
      if (this.mayEnd()) socket.write(endOf(message))
      else this.#withdraw()
    })
  }

  #withdraw() {
    this.onWithdrawn()
    this.close()
  }
}

/** What the system takes from us in one piece, more or less. */
const AT_ONCE_BYTES = 128 * 1024

const LINE_WITH_DOT = Buffer.from('\r\n.')
const DOT = Buffer.from('.')

/** So many writes cost less than a copy. A text of nothing but dots would be a write for each of its lines. */
const MOST_PIECES = 200

/** The message in pieces, with a dot before each line that begins with one (RFC 5321, section 4.5.2). */
function dotStuffed(message: Buffer): Buffer[] {
  const pieces: Buffer[] = message[0] === DOT[0] ? [DOT] : []
  let begin = 0
  for (;;) {
    const found = message.indexOf(LINE_WITH_DOT, begin)
    if (found < 0) return [...pieces, message.subarray(begin)]
    if (pieces.length > MOST_PIECES) return [...pieces, stuffedCopy(message.subarray(begin))]
    const end = found + LINE_WITH_DOT.length
    pieces.push(message.subarray(begin, end), DOT)
    begin = end
  }
}

function stuffedCopy(rest: Buffer): Buffer {
  const copy = Buffer.allocUnsafe(rest.length + dotsIn(rest))
  let length = 0
  let begin = 0
  for (;;) {
    const found = rest.indexOf(LINE_WITH_DOT, begin)
    if (found < 0) break
    const end = found + LINE_WITH_DOT.length
    length += rest.copy(copy, length, begin, end)
    copy[length++] = DOT[0]!
    begin = end
  }
  rest.copy(copy, length, begin)
  return copy
}

function dotsIn(message: Buffer): number {
  let count = 0
  for (let at = message.indexOf(LINE_WITH_DOT); at >= 0; at = message.indexOf(LINE_WITH_DOT, at + 1)) count += 1
  return count
}

const endOf = (message: Buffer) =>
  message.length === 0 || message.subarray(-2).toString('latin1') === '\r\n' ? '.\r\n' : '\r\n.\r\n'
