/** One object of a list. Null: it could not be read. */
export interface JsonRecord {
  /** Where it begins. */
  readonly line: number
  readonly fields: Readonly<Record<string, unknown>> | null
}

/** Under these names services have the list in an object of their own. */
const LISTS = new Set([
  ...['SuppressedDestinationSummaries', 'Contacts', 'Suppressions', 'Bounces', 'items', 'result', 'results', 'data'],
  ...['contacts', 'recipients', 'suppressions', 'bounces'],
])

const MAX_RECORD_BYTES = 256 * 1024

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, LINE] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x0a]

/**
 * The objects of a file of JSON, one after the other: of a list, of a list inside of an object, of several such answers behind each other, or one
 * to a line. Looks at bytes alone, so that a file of any size is never in memory as a whole.
 */
export class JsonSplitter {
  /** What is open, from the outside in: `{`, `[`, or `*` for a list whose objects are records. */
  readonly #open: ('{' | '[' | '*')[] = []
  #isText = false
  #isEscaped = false
  #line = 1
  /** The last text that was read outside of a record: the name of what follows. */
  #name = ''
  #text: number[] = []
  /** The record that is being read, or the outermost object while it may be one. */
  #record: Buffer[] = []
  #size = 0
  #recordLine = 1
  /** How much was open before the record began; -1: none is being read. */
  #recordDepth = -1
  /** Of the outermost object: it has a list of records, so it is none itself. */
  #isWrapper = false;

  *push(piece: Buffer): Generator<JsonRecord> {
    let begin = 0
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]!
      if (byte === LINE) this.#line++
      if (this.#isText) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === BACKSLASH) this.#isEscaped = true
        else if (byte === QUOTE) this.#endText()
        else if (this.#open.length === 1 && this.#text.length < 100) this.#text.push(byte)
        continue
      }
      if (byte === QUOTE) {
        this.#isText = true
        this.#text = []
      } else if (byte === OPEN) {
        if (this.#isRecordNext()) {
          this.#begin()
          begin = at
        }
        this.#open.push('{')
      } else if (byte === OPEN_LIST) {
        const isList = this.#open.length === 0 || (this.#open.length === 1 && LISTS.has(this.#name))
        if (isList && this.#open.length === 1) this.#drop()
        this.#open.push(isList ? '*' : '[')
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        this.#open.pop()
        if (this.#recordDepth !== this.#open.length || byte !== CLOSE) {
          if (this.#open.length === 0) this.#isWrapper = false
          continue
        }
        this.#keep(piece.subarray(begin, at + 1))
        yield this.#end()
        if (this.#open.length === 0) this.#isWrapper = false
      }
    }
    if (this.#recordDepth >= 0) this.#keep(piece.subarray(begin))
  }

  /** What was cut off. */
  *end(): Generator<JsonRecord> {
    if (this.#recordDepth > 0 || (this.#recordDepth === 0 && !this.#isWrapper))
      yield { line: this.#recordLine, fields: null }
  }

  #isRecordNext = () => this.#open.length === 0 || (this.#open.at(-1) === '*' && this.#recordDepth < 0)

  #endText() {
    this.#isText = false
    if (this.#open.length === 1) this.#name = Buffer.from(this.#text).toString('utf8')
  }

  #begin() {
    this.#recordDepth = this.#open.length
    this.#recordLine = this.#line
    this.#record = []
    this.#size = 0
  }

  /** The outermost object is what the records are in. */
  #drop() {
    this.#isWrapper = true
    this.#recordDepth = -1
    this.#record = []
  }

  #keep(bytes: Buffer) {
    this.#size += bytes.length
    if (this.#size <= MAX_RECORD_BYTES) this.#record.push(Buffer.from(bytes))
  }

  #end(): JsonRecord {
    const text = Buffer.concat(this.#record).toString('utf8')
    const line = this.#recordLine
    const isWhole = this.#size <= MAX_RECORD_BYTES
    this.#recordDepth = -1
    this.#record = []
    return { line, fields: isWhole ? objectOf(text) : null }
  }
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
