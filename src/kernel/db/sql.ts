import { createHash } from 'node:crypto'

/** A piece of SQL with its parameters apart. Values never become text; pieces nest. */
export class Sql {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
  /** Whether it changes rows, as its author says: see `sql.write`. */
  readonly isWrite: boolean

  constructor(strings: readonly string[], values: readonly unknown[], isWrite: boolean) {
    this.strings = strings
    this.values = values
    this.isWrite = isWrite
  }

  /** What the driver takes. The name makes PostgreSQL plan each distinct text once a connection. */
  toQuery(): { name: string; text: string; values: unknown[] } {
    let text = this.strings[0]!
    for (let index = 1; index < this.strings.length; index++) text += `$${index}${this.strings[index]}`
    return { name: nameOf(text), text, values: this.values as unknown[] }
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
  const strings = [template[0]!]
  const values: unknown[] = []
  for (const [index, part] of parts.entries()) {
    const rest = template[index + 1]!
    if (part instanceof Sql) {
      isWrite ||= part.isWrite
      strings[strings.length - 1] += part.strings[0]!
      strings.push(...part.strings.slice(1))
      values.push(...part.values)
      strings[strings.length - 1] += rest
    } else {
      values.push(part)
      strings.push(rest)
    }
  }
  return new Sql(strings, values, isWrite)
}

/** Text of our own making (column lists, names of tables); never anything that came from outside. */
export const raw = (text: string) => new Sql([text], [], false)

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
