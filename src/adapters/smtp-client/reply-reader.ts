/** What a server answered to one command. */
export interface Reply {
  /** That of its last line, should the lines not agree. Zero: that does not begin as a reply of SMTP has to. */
  readonly code: number
  /** As it came, codes included, the lines of one reply parted by `\n`. */
  readonly text: string
}

export const isPositive = ({ code }: Reply) => code >= 200 && code < 300
export const isRefusal = ({ code }: Reply) => code >= 400 && code < 600

/** `250-` in front of a line: the reply goes on with the next one. */
const CONTINUED = /^\d{3}-/

/** A last word without the end of its line. As a fragment of anything else nobody can tell what it would have become. */
const CUT_OFF_REFUSAL = /^[45]\d\d[ -]/
const BEGUN_YES = /^2\d\d[ -]/
const MAX_BEGUN_LENGTH = 500

/** Puts the bytes of a server together to replies, however they were cut into packets. It holds no more of them than is allowed. */
export class ReplyReader {
  #allowedBytes = 0
  /** Bytes as characters, because a packet may end in the middle of a letter. */
  #line = ''
  /** The lines before it, if it belongs to a reply of several. */
  #lines = ''

  /** How much the server may say from here on. */
  allow(bytes: number) {
    this.#allowedBytes = bytes
  }

  /** The replies that are complete by now; null when the server has said more than it may. */
  read(packet: Buffer): readonly Reply[] | null {
    this.#allowedBytes -= packet.length
    if (this.#allowedBytes < 0) return null
    const text = packet.toString('latin1')
    const replies: Reply[] = []
    let begin = 0
    // Looked for in the packet alone: whoever sends a line byte by byte must not have all of it looked through for each.
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
      const reply = this.#endLine(text.slice(begin, end))
      if (reply) replies.push(reply)
      begin = end + 1
    }
    this.#line += text.slice(begin)
    return replies
  }

  /** What was begun and not ended when the connection was, if it is a refusal. */
  cutOff(): string | null {
    const line = this.#line.trim()
    return CUT_OFF_REFUSAL.test(line) ? decoded(this.#lines + line) : null
  }

  /** The first line of a yes that has not come to its end. All lines of a reply have the same code (RFC 5321, section 4.2.1). */
  begunYes(): string | null {
    const [line] = (this.#lines + this.#line).split('\n', 1) as [string]
    return BEGUN_YES.test(line) ? decoded(line.slice(0, MAX_BEGUN_LENGTH).trim()).replace('-', ' ') : null
  }

  /** RFC 3207, section 4.2: nothing that was said before TLS counts after it, not even half a line. */
  discard() {
    this.#line = ''
    this.#lines = ''
  }

  #endLine(rest: string): Reply | null {
    const line = withoutCr(this.#line + rest)
    this.#line = ''
    if (CONTINUED.test(line)) {
      this.#lines += `${line}\n`
      return null
    }
    const text = this.#lines + line
    this.#lines = ''
    // Some servers send an empty line now and then. It answers nothing.
    return text.trim() === '' ? null : replyOf(decoded(text))
  }
}

const withoutCr = (line: string) => (line.endsWith('\r') ? line.slice(0, -1) : line)

export function replyOf(text: string): Reply {
  const last = text.slice(text.lastIndexOf('\n') + 1)
  return { code: /^\d{3}/.test(last) ? Number(last.slice(0, 3)) : 0, text }
}

/** Most servers mean UTF-8. What is not stays readable for whoever knows what it is. */
function decoded(bytes: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are ASCII too.
  if (/^[\x00-\x7f]*$/.test(bytes)) return bytes
  const text = Buffer.from(bytes, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? bytes : text
}
