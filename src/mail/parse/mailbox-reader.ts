/** A run of characters without white space. In `source` quotes are kept: `"ada l"@example.com` needs them. */
export interface Word {
  text: string
  source: string
  hasAt: boolean
}

/** What stands between two commas is one of these, or several when commas were forgotten. */
export interface Entry {
  words: Word[]
  comment: string
  angle: string | null
}

export const newEntry = (): Entry => ({ words: [], comment: '', angle: null })

const ORDINARY = /[^\s"(),:;<>@[=]+/y
const ENCODED_WORD = /=\?[^?\s]{1,60}\?[bq]\?[^?]*\?=/iy

/**
 * One pass over the characters. What is opened and never closed (a quote, a comment, an angle) is an ordinary character or ends
 * with the mailbox; it is looked for once, so that the time is in proportion to the text.
 */
export class MailboxReader {
  private readonly text: string
  private position = 0
  private entries: Entry[] = []
  private entry = newEntry()
  private isInWord = false
  private hasAt = false
  private readonly unclosed = new Set<string>()

  constructor(text: string) {
    this.text = text
  }

  isAtEnd(): boolean {
    return this.position >= this.text.length
  }

  /** Reads up to the comma or the end. Several when a comma is missing. */
  next(): Entry[] {
    this.entries = []
    this.isInWord = false
    this.hasAt = false
    this.beginEntry()
    while (!this.isAtEnd() && this.step());
    return this.entries
  }

  private beginEntry(): void {
    this.entry = newEntry()
    this.entries.push(this.entry)
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
        this.entry.words.at(-1)!.hasAt = true
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
    if (!this.isInWord && this.entry.angle !== null) this.beginEntry()
    if (!this.isInWord) this.entry.words.push({ text: '', source: '', hasAt: false })
    this.isInWord = true
    const word = this.entry.words.at(-1)!
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
    // `ada(home)@example.com` is an address, `ada(home)bob` are two words.
    this.isInWord &&= /[@.]/.test(this.text[end] ?? '') || /[@.]$/.test(this.entry.words.at(-1)!.source)
    if (!this.isInWord && this.entry.comment === '') this.entry.comment = this.text.slice(this.position + 1, end - 1)
    this.position = end
  }

  /** `<ada@example.com>`; a comma ends one that was not closed, unless it is part of a route (`<@a,@b:ada@example.com>`). */
  private readAngle(): void {
    let start = this.position + 1
    while (/[\s<]/.test(this.text[start] ?? '')) start += 1
    const isRoute = this.text[start] === '@'
    let end = start
    let content = ''
    while (end < this.text.length && !/[<>]/.test(this.text[end]!)) {
      const character = this.text[end]!
      if (!isRoute && /[,;]/.test(character)) break
      const closed = character === '"' || character === '(' ? this.endOf(character, end) : -1
      const next = closed < 0 ? end + 1 : closed
      if (character !== '(' || closed < 0) content += this.text.slice(end, next)
      end = next
    }
    if (this.entry.angle !== null) this.beginEntry()
    this.entry.angle = isRoute ? content.slice(content.lastIndexOf(':') + 1) : content
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
    const isGroup = this.entry.angle === null && !this.hasAt
    if (!isGroup) {
      this.add(':', ':')
      return
    }
    Object.assign(this.entry, newEntry())
    this.isInWord = false
    this.position += 1
  }

  /** An encoded word stays whole, also when somebody left a comma in it. */
  private readEqualsSign(): void {
    ENCODED_WORD.lastIndex = this.position
    const source = ENCODED_WORD.exec(this.text)?.[0] ?? '='
    this.add(source, source)
  }
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
