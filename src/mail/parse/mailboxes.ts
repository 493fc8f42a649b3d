import { isAddress } from '../address.ts'
import { cleanLine } from './clean-text.ts'
import { decodeWords } from './encoded-words.ts'

/** One of a list of addresses as it was written. Without an address it is a name only, which real mail has too. */
interface WrittenMailbox {
  readonly name: string
  readonly address: string
}

/** A run of characters without white space. In `source` quotes are kept: `"ada l"@example.com` needs them. */
interface Word {
  text: string
  source: string
  hasAt: boolean
}

const ORDINARY = /[^\s"(),:;<>@[=]+/y
const ENCODED_WORD = /=\?[^?\s]{1,60}\?[bq]\?[^?]*\?=/iy
const MUST_BE_QUOTED = /[()<>[\]:;@\\,"]/

/** The addresses of a field (RFC 5322, 3.4) as text, the members of groups among them. Whatever is no address is passed over. */
export function readAddresses(value: string): string[] {
  return readMailboxes(value).flatMap((mailbox) => (mailbox.address === '' ? [] : [asText(mailbox)]))
}

/** The first one, which is who wrote the message; when there is no address, what stands in its place. */
export function readAuthor(value: string): string {
  const mailboxes = readMailboxes(value)
  const author = mailboxes.find(({ address }) => address !== '') ?? mailboxes[0]
  return author ? asText(author) : ''
}

function asText({ name, address }: WrittenMailbox): string {
  if (address === '' || name === '' || name === address) return address || name
  return MUST_BE_QUOTED.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>` : `${name} <${address}>`
}

function readMailboxes(value: string, isDecoded = false): WrittenMailbox[] {
  const mailboxes: WrittenMailbox[] = []
  const reader = new MailboxReader(value)
  while (!reader.isAtEnd()) for (const mailbox of reader.next(isDecoded)) mailboxes.push(mailbox)
  return mailboxes
}

/**
 * One pass over the characters. What is opened and never closed (a quote, a comment, an angle) is an ordinary character or ends
 * with the mailbox; it is looked for once, so that the time is in proportion to the text.
 */
class MailboxReader {
  private readonly text: string
  private position = 0
  private words: Word[] = []
  private isInWord = false
  private hasAt = false
  private comment = ''
  private angle: string | null = null
  private readonly unclosed = new Set<string>()

  constructor(text: string) {
    this.text = text
  }

  isAtEnd(): boolean {
    return this.position >= this.text.length
  }

  /** Reads up to the comma or the end. Empty when nothing was there, several when one word hid a list. */
  next(isDecoded: boolean): WrittenMailbox[] {
    this.words = []
    this.isInWord = false
    this.hasAt = false
    this.comment = ''
    this.angle = null
    while (!this.isAtEnd() && this.step());
    return this.mailbox(isDecoded)
  }

  /** False when the mailbox is over. */
  private step(): boolean {
    const character = this.text[this.position]!
    switch (character) {
      case ',':
      case ';':
        this.position += 1
        return false
      case '"':
        this.readQuoted()
        return true
      case '(':
        this.readComment()
        return true
      case '<':
        this.readAngle()
        return true
      case '[':
        this.readLiteral()
        return true
      case ':':
        this.readColon()
        return true
      case '=':
        this.readEqualsSign()
        return true
      case '@':
        this.add('@', '@')
        this.words.at(-1)!.hasAt = true
        this.hasAt = true
        return true
    }
    ORDINARY.lastIndex = this.position
    const [run] = ORDINARY.exec(this.text) ?? []
    if (run === undefined) {
      // White space, or an angle that closes nothing.
      this.position += 1
      this.isInWord = false
    } else {
      this.add(run, run)
    }
    return true
  }

  private add(text: string, source: string): void {
    if (!this.isInWord) this.words.push({ text: '', source: '', hasAt: false })
    this.isInWord = true
    const word = this.words.at(-1)!
    word.text += text
    word.source += source
    this.position += source.length
  }

  /** Where the text goes on behind what is opened here, or -1; then nothing of the kind is closed further on either. */
  private endOf(opening: keyof typeof END_OF, start: number): number {
    const end = this.unclosed.has(opening) ? -1 : END_OF[opening](this.text, start)
    if (end < 0) this.unclosed.add(opening)
    return end
  }

  private readQuoted(): void {
    const end = this.endOf('"', this.position)
    if (end < 0) {
      this.position += 1
      return
    }
    const source = this.text.slice(this.position, end)
    this.add(source.slice(1, -1).replace(/\\(.)/gsu, '$1'), source)
  }

  private readComment(): void {
    const end = this.endOf('(', this.position)
    if (end < 0) {
      this.position += 1
      return
    }
    if (this.comment === '') this.comment = this.text.slice(this.position + 1, end - 1)
    this.position = end
    this.isInWord = false
  }

  /** `<ada@example.com>`; a comma ends one that was not closed, unless it is part of a route (`<@a,@b:ada@example.com>`). */
  private readAngle(): void {
    let start = this.position + 1
    while (/[\s<]/.test(this.text[start] ?? '')) start += 1
    const isRoute = this.text[start] === '@'
    let end = start
    while (end < this.text.length && !/[<>]/.test(this.text[end]!)) {
      if (!isRoute && /[,;]/.test(this.text[end]!)) break
      const quoted = this.text[end] === '"' ? this.endOf('"', end) : -1
      end = quoted < 0 ? end + 1 : quoted
    }
    const content = this.text.slice(start, end)
    this.angle = isRoute ? content.slice(content.lastIndexOf(':') + 1) : content
    this.position = this.text[end] === '>' ? end + 1 : Math.max(end, this.position + 1)
    this.isInWord = false
  }

  /** The address of a machine, `[192.0.2.1]`, in which a colon is no group. */
  private readLiteral(): void {
    const end = this.endOf('[', this.position)
    const source = this.text.slice(this.position, end < 0 ? this.position + 1 : end)
    this.add(source, source)
  }

  /** What is in front of a colon is the name of a group, which is no address. */
  private readColon(): void {
    const isGroup = this.angle === null && !this.hasAt
    if (!isGroup) {
      this.add(':', ':')
      return
    }
    this.words = []
    this.comment = ''
    this.isInWord = false
    this.position += 1
  }

  /** An encoded word stays whole, also when somebody left a comma in it. */
  private readEqualsSign(): void {
    ENCODED_WORD.lastIndex = this.position
    const source = ENCODED_WORD.exec(this.text)?.[0] ?? '='
    this.add(source, source)
  }

  private mailbox(isDecoded: boolean): WrittenMailbox[] {
    const words = [...this.words]
    const address = bareAddress(this.angle ?? takeAddress(words))
    const written = words.map(({ text }) => text).join(' ')
    const name = cleanLine(decodeWords(written))
    // `=?utf-8?q?Ada_<ada=40example.com>?=`: all of it in one word, which no standard allows.
    if (address === '' && !isDecoded && name !== written && name.includes('@')) return readMailboxes(name, true)
    const named = name || cleanLine(decodeWords(this.comment))
    if (address === '' && named === '') return []
    return [{ name: named, address }]
  }
}

/** The word with the `@`, with what belongs to it when there is white space around the `@`; or the only word. */
function takeAddress(words: Word[]): string {
  const at = words.findLastIndex(({ hasAt }) => hasAt)
  if (at < 0) return words.length === 1 && !words[0]!.text.includes('=?') ? words.splice(0, 1)[0]!.source : ''
  const from = words[at]!.source.startsWith('@') && at > 0 ? at - 1 : at
  const to = words[at]!.source.endsWith('@') ? at + 1 : at
  return words
    .splice(from, to - from + 1)
    .map(({ source }) => source)
    .join('')
}

/** Quotes are for what could not be written without; what we can write to needs none (`address.ts`). */
function bareAddress(address: string): string {
  const line = cleanLine(address)
  if (!line.includes('"')) return line.replace(/\s+/g, '')
  const plain = line.replace(/^"([^"\\]*)"(?=@)/, '$1')
  return isAddress(plain) ? plain : line
}

const END_OF = {
  '"': endOfQuoted,
  '(': endOfComment,
  '[': (text: string, start: number) => text.indexOf(']', start) + 1 || -1,
}

function endOfQuoted(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1
    else if (text[i] === '"') return i + 1
  }
  return -1
}

/** Comments may have comments in them. */
function endOfComment(text: string, start: number): number {
  let depth = 0
  for (let i = start; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1
    else if (text[i] === '(') depth += 1
    else if (text[i] === ')') depth -= 1
    if (depth === 0) return i + 1
  }
  return -1
}
