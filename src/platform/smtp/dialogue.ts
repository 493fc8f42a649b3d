import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'

interface Inside {
  _onData(chunk: Buffer): void
  _sendCommand(line: string, logged?: string): void
}

const Connection = SMTPConnection as unknown as new (options: SMTPConnectionOptions) => SMTPConnection & Inside

/**
 * nodemailer's connection with two things mended, both inside it, both held by tests, and its version is pinned:
 *
 * - it asks for SMTPUTF8 when the envelope is not ASCII; a header that is not needs it just as much (RFC 6531, section 3.4).
 * - it bounds one reply, but not how many replies a server sends that nobody asked for.
 */
export class Dialogue extends Connection {
  needsUtf8 = false
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
}
