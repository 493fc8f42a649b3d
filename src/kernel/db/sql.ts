import { createHash } from 'node:crypto'

/** What the driver takes, and how its rows are wanted. */
export interface Query {
  readonly text: string
  readonly values?: unknown[]
  readonly name?: string
  /** Set: as one row, which is a `JsonRows`. */
  readonly json?: JsonOptions | null
}

export interface JsonOptions {
  /** A value that is null is left out. */
  readonly omitsNulls: boolean
}

/** A piece of SQL with its parameters apart. Values never become text; pieces nest. */
export class Sql {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
  /** Whether it changes rows, as its author says: see `sql.write`. */
  readonly isWrite: boolean
  #json: JsonOptions | null = null

  constructor(strings: readonly string[], values: readonly unknown[], isWrite: boolean) {
    this.strings = strings
    this.values = values
    this.isWrite = isWrite
  }

  /** The name makes PostgreSQL plan each distinct text once a connection. */
  toQuery(): Required<Query> {
    const { name, text } = statementOf(this.strings)
    return { name, text, values: this.values as unknown[], json: this.#json }
  }

  /** The statement, answered by one row: its rows as JSON (`JsonRows`). */
  asJson(json: JsonOptions): Sql {
    const statement = new Sql(this.strings, this.values, this.isWrite)
    statement.#json = json
    return statement
  }
}

/**
 * sql`select … where id = ${id} ${isNewest ? sql`order by id desc` : sql``}`: a nested piece is spliced in, anything else
 * becomes a parameter.
 */
export const sql = (template: TemplateStringsArray, ...parts: unknown[]): Sql => compose(template, parts, false)

/** A piece that inserts, updates or deletes rows. What contains it writes, too. */
sql.write = (template: TemplateStringsArray, ...parts: unknown[]): Sql => compose(template, parts, true)

function compose(template: TemplateStringsArray, parts: readonly unknown[], isDeclared: boolean): Sql {
  let isWrite = isDeclared
  let shape: Shape | null = shapeOf(template)
  const values: unknown[] = []
  for (const part of parts) {
    if (part instanceof Sql) {
      isWrite ||= part.isWrite
      shape &&= next(shape, part.strings)
      for (const value of part.values) values.push(value)
    } else {
      shape &&= next(shape, VALUE)
      values.push(part)
    }
  }
  if (!shape) return new Sql(spliced(template, parts), values, isWrite)
  shape.strings ??= spliced(template, parts)
  return new Sql(shape.strings, values, isWrite)
}

function spliced(template: TemplateStringsArray, parts: readonly unknown[]): string[] {
  const strings = [template[0]!]
  for (const [index, part] of parts.entries()) {
    const rest = template[index + 1]!
    if (part instanceof Sql) {
      strings[strings.length - 1] += part.strings[0]!
      strings.push(...part.strings.slice(1))
      strings[strings.length - 1] += rest
    } else {
      strings.push(rest)
    }
  }
  return strings
}

/**
 * A template with some of its parts in place. The same template with parts of the same texts is spliced and named once: of a page, that
 * was 6 µs for each request. Those who make new texts all the time get no memory for them.
 */
interface Shape {
  readonly next: Map<readonly string[] | typeof VALUE, Shape>
  strings: readonly string[] | null
}

const VALUE = Symbol('a parameter')
const MAX_SHAPES = 20_000
const shapes = new Map<TemplateStringsArray, Shape>()
let shapeCount = 0

function shapeOf(template: TemplateStringsArray): Shape | null {
  const known = shapes.get(template)
  if (known) return known
  const shape = newShape()
  if (shape) shapes.set(template, shape)
  return shape
}

function next(before: Shape, part: readonly string[] | typeof VALUE): Shape | null {
  const known = before.next.get(part)
  if (known) return known
  const shape = newShape()
  if (shape) before.next.set(part, shape)
  return shape
}

const newShape = (): Shape | null => (shapeCount++ < MAX_SHAPES ? { next: new Map(), strings: null } : null)

/** Text of our own making (column lists, names of tables); never anything that came from outside. */
export const raw = (text: string) => new Sql(rawStrings(text), [], false)

/** The same text is the same piece. */
const raws = new Map<string, readonly string[]>()

function rawStrings(text: string): readonly string[] {
  const known = raws.get(text)
  if (known) return known
  const strings = [text]
  if (raws.size < MAX_SHAPES) raws.set(text, strings)
  return strings
}

export function join(pieces: readonly Sql[], separator: string): Sql {
  const [first = raw(''), ...others] = pieces
  return others.reduce((joined, piece) => sql`${joined}${raw(separator)}${piece}`, first)
}

/** The key of a row of some team: values, or the columns that another table of the statement has them in. */
export interface RowKey {
  readonly team: string | Sql
  readonly id: string | Sql
}

/** The key of a table of the statement, by its alias. */
export const keyOf = (alias: string): RowKey => ({ team: raw(`${alias}.team_id`), id: raw(`${alias}.id`) })

/**
 * A team whose rows the planner does not count before it looks them up by their whole key. Of a team that is not in the statistics
 * yet it expects a single row, and then any index that begins with the team is good enough for it: it reads all rows of the team for
 * each one that it looks for. 6,000 contacts of a segment took 8 s that way, and 10,000 events of metrics 15 s.
 */
export const anyTeam = (team: string): Sql => sql`(select ${team}::uuid)`

interface Statement {
  readonly text: string
  readonly name: string
}

const statements = new WeakMap<readonly string[], Statement>()

function statementOf(strings: readonly string[]): Statement {
  const known = statements.get(strings)
  if (known) return known
  let text = strings[0]!
  for (let index = 1; index < strings.length; index++) text += `$${index}${strings[index]}`
  const statement = { text, name: nameOf(text) }
  statements.set(strings, statement)
  return statement
}

// The name is a digest of the text, not a counter: behind a connection pooler two processes share server connections, and
// the same name must mean the same statement in both.
const names = new Map<string, string>()

function nameOf(text: string) {
  const known = names.get(text)
  if (known) return known
  const name = createHash('sha1').update(text).digest('base64url')
  names.set(text, name)
  return name
}
