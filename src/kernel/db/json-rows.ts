/** What the driver tells of a column. */
export interface WireColumn {
  readonly name: string
  /** The oid of its type. */
  readonly dataTypeID: number
}

type Notation = 'string' | 'boolean' | 'number' | 'json' | 'strings'

const notations = (notation: Notation, oids: readonly number[]) => oids.map((oid) => [oid, notation] as const)

/** How `row_to_json` writes the types that lists have. */
const NOTATIONS: ReadonlyMap<number, Notation> = new Map([
  ...notations('boolean', [16]),
  ...notations('number', [20, 21, 23, 700, 701, 1700]), // int8, int2, int4, float4, float8, numeric
  ...notations('json', [114, 3802]), // json, jsonb
  ...notations('string', [19, 25, 650, 869, 1042, 1043, 2950]), // name, text, cidr, inet, bpchar, varchar, uuid
  ...notations('strings', [1009, 1015, 2951]), // text[], varchar[], uuid[]
])

interface Column extends WireColumn {
  /** `"name":` */
  readonly key: Uint8Array
  readonly notation: Notation
}

/** The columns of a statement's rows, as they become JSON. */
export class JsonShape {
  readonly columns: readonly Column[]
  /** All keys, with a comma before each. */
  readonly keyBytes: number
  readonly omitsNulls: boolean
  /** As long as the last answer was, and a little more. */
  expectedBytes = 4_096

  constructor(columns: readonly WireColumn[], omitsNulls: boolean) {
    this.columns = columns.map(({ name, dataTypeID }) => {
      const notation = NOTATIONS.get(dataTypeID)
      if (!notation)
        throw new Error(`The column ${name} is of the type ${dataTypeID}, which has no notation in JSON yet`)
      return { name, dataTypeID, key: Buffer.from(`${JSON.stringify(name)}:`), notation }
    })
    this.keyBytes = this.columns.reduce((sum, { key }) => sum + key.length + 1, 0)
    this.omitsNulls = omitsNulls
  }

  /** Whether it is that of these columns. */
  fits(columns: readonly WireColumn[], omitsNulls: boolean): boolean {
    if (columns.length !== this.columns.length || omitsNulls !== this.omitsNulls) return false
    return columns.every(({ name, dataTypeID }, index) => {
      const column = this.columns[index]!
      return column.name === name && column.dataTypeID === dataTypeID
    })
  }
}

const code = (character: string) => character.charCodeAt(0)
const [QUOTE, COMMA, OPEN, CLOSE, TRUE] = [code('"'), code(','), code('{'), code('}'), code('t')]
const [MINUS, ZERO, NINE] = [code('-'), code('0'), code('9')]
const LITERALS = { null: Buffer.from('null'), true: Buffer.from('true'), false: Buffer.from('false') }
const NO_STRINGS = Buffer.from('[]')

/** 1: JSON has another way to write this byte in a string. */
const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === code('\\') ? 1 : 0,
)

/**
 * The rows of an answer as JSON, written from the bytes in which PostgreSQL sends them: to the byte what `row_to_json` makes of them. That
 * looks up the types of all columns again for each row, and takes longer for it than all the rest of a list's statement.
 */
export class JsonRows {
  readonly #shape: JsonShape
  #out: Buffer
  #length = 0
  /** Those of all bytes that were copied: the highest is set when one of them was not ASCII. */
  #bits = 0
  /** Where each item ends. A comma follows. */
  readonly #ends: number[] = []
  /** Where the value is that is written, of what was sent. */
  #from = 0
  #until = 0

  constructor(shape: JsonShape) {
    this.#shape = shape
    this.#out = Buffer.allocUnsafe(shape.expectedBytes)
  }

  get count(): number {
    return this.#ends.length
  }

  /** All items, with commas between them. */
  get bytes(): Buffer {
    return this.#out.subarray(0, Math.max(0, this.#length - 1))
  }

  /** The first items, with commas between them. */
  textOfFirst(count: number): string {
    return count === 0 || this.count === 0 ? '' : this.#text(0, this.#ends[Math.min(count, this.count) - 1]!)
  }

  /** Each item. */
  texts(): string[] {
    return this.#ends.map((end, index) => this.#text(this.#beginOf(index), end))
  }

  last<Item>(): Item {
    const index = this.count - 1
    return JSON.parse(this.#text(this.#beginOf(index), this.#ends[index]!)) as Item
  }

  /** That was the last row. */
  end() {
    this.#shape.expectedBytes = this.#length + (this.#length >> 3) + 64
  }

  /** A row as it is sent: the number of its values in two bytes, and each of them behind its length in four. */
  add(sent: Buffer, start: number, end: number) {
    const { columns, keyBytes, omitsNulls } = this.#shape
    // Without escapes a value is no longer than it was sent with its length: `null` is sent as the length alone.
    this.#reserve(keyBytes + end - start)
    this.#out[this.#length++] = OPEN
    let at = start + 2
    let isFirst = true
    for (let index = 0; index < columns.length; index++) {
      const { key, notation } = columns[index]!
      const length = sent.readInt32BE(at)
      at += 4
      if (length < 0 && omitsNulls) continue
      if (!isFirst) this.#out[this.#length++] = COMMA
      isFirst = false
      this.#put(key)
      if (length < 0) {
        this.#put(LITERALS.null)
        continue
      }
      this.#from = at
      at += length
      this.#until = at
      if (this.#copied(notation, sent)) continue
      const json = Buffer.from(jsonOf(notation, sent.toString('utf8', this.#from, at)))
      this.#reserve(json.length + keyBytes + end - at)
      this.#bits |= 0x80
      json.copy(this.#out, this.#length)
      this.#length += json.length
    }
    this.#out[this.#length++] = CLOSE
    this.#ends.push(this.#length)
    this.#out[this.#length++] = COMMA
  }

  /** Writes a value as it was sent. False: that is not possible. */
  #copied(notation: Notation, sent: Buffer): boolean {
    switch (notation) {
      case 'string':
        return this.#copiedString(sent)
      case 'boolean':
        this.#put(sent[this.#from] === TRUE ? LITERALS.true : LITERALS.false)
        return true
      case 'strings':
        if (this.#until - this.#from > 2) return false
        this.#put(NO_STRINGS)
        return true
      case 'number':
        if (!isNumber(sent[this.#from]!, sent[this.#from + 1]!)) return false
    }
    const out = this.#out
    const end = this.#until
    let to = this.#length
    let bits = this.#bits
    for (let from = this.#from; from < end; from++) {
      const byte = sent[from]!
      bits |= byte
      out[to++] = byte
    }
    this.#bits = bits
    this.#length = to
    return true
  }

  #copiedString(sent: Buffer): boolean {
    const out = this.#out
    const end = this.#until
    let to = this.#length
    let bits = this.#bits
    out[to++] = QUOTE
    for (let from = this.#from; from < end; from++) {
      const byte = sent[from]!
      if (ESCAPED[byte] === 1) return false
      bits |= byte
      out[to++] = byte
    }
    out[to++] = QUOTE
    this.#bits = bits
    this.#length = to
    return true
  }

  #put(bytes: Uint8Array) {
    const out = this.#out
    const to = this.#length
    for (let from = 0; from < bytes.length; from++) out[to + from] = bytes[from]!
    this.#length = to + bytes.length
  }

  #beginOf(index: number): number {
    return index === 0 ? 0 : this.#ends[index - 1]! + 1
  }

  #text(start: number, end: number): string {
    return this.#out.toString(this.#bits < 0x80 ? 'latin1' : 'utf8', start, end)
  }

  #reserve(bytes: number) {
    if (this.#length + bytes <= this.#out.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#out.length * 2, this.#length + bytes))
    this.#out.copy(larger, 0, 0, this.#length)
    this.#out = larger
  }
}

const isDigit = (byte: number) => byte >= ZERO && byte <= NINE

/** By its first bytes: `NaN` and `-Infinity` are none in JSON. */
const isNumber = (first: number, second: number) => isDigit(first) || (first === MINUS && isDigit(second))

function jsonOf(notation: Notation, text: string): string {
  return JSON.stringify(notation === 'strings' ? stringsOf(text) : text)
}

/** `{a,"b c",NULL}`: an array of one dimension, as PostgreSQL writes it. */
const stringsOf = (text: string) =>
  Array.from(text.matchAll(/"((?:[^"\\]|\\.)*)"|([^,{}]+)/gs), ([, quoted, bare]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1')
    return bare === 'NULL' ? null : bare
  })
