import pg from 'pg'
import { JsonRows, JsonShape, type WireColumn } from './json-rows.ts'
import type { RowBytes } from './row-bytes.ts'
import type { Query } from './sql.ts'

/** Of as many statements the columns are remembered. */
const MAX_SHAPES = 1_000
const shapes = new Map<string, JsonShape>()

type Settle = (error: unknown, rows: readonly JsonRows[]) => void

/** A query of the driver's whose answer is one row: all of its rows, as `JsonRows`. */
export class JsonQuery extends pg.Query {
  name: string
  readonly #rows: RowBytes
  readonly #omitsNulls: boolean
  readonly #settle: Settle
  #answer: JsonRows | null = null
  #error: unknown = null

  /** `settle` is called once. */
  constructor(rows: RowBytes, { name, text, values, json }: Required<Query>, settle: Settle) {
    // The driver calls back when it fails.
    super(text, values, (error) => settle(error, []))
    this.name = name
    this.#rows = rows
    this.#omitsNulls = json!.omitsNulls
    this.#settle = settle
  }

  handleRowDescription({ fields }: { fields: readonly WireColumn[] }) {
    try {
      this.#answer = new JsonRows(this.#shapeOf(fields))
      this.#rows.begin(this.#answer)
    } catch (error) {
      this.#error = error
    }
  }

  /** Of an answer that cannot be read. */
  handleDataRow() {}

  handleCommandComplete() {
    this.#answer?.end()
  }

  handleReadyForQuery() {
    this.#settle(this.#error, [this.#answer!])
  }

  #shapeOf(columns: readonly WireColumn[]): JsonShape {
    const known = shapes.get(this.name)
    if (known?.fits(columns, this.#omitsNulls)) return known
    const shape = new JsonShape(columns, this.#omitsNulls)
    if (shapes.size >= MAX_SHAPES) shapes.clear()
    shapes.set(this.name, shape)
    return shape
  }
}
