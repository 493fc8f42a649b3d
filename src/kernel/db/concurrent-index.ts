import { isDeadlock } from '../../platform/database-errors.ts'

// Indexes of tables with mail are made beside everybody who reads and writes. PostgreSQL does that for a table, and not for one with partitions: there
// each partition gets its own, and that of the whole is theirs together. A run that was cut off anywhere is carried on by the next one.

interface Session {
  query<Row>(query: { text: string; values?: unknown[] } | string): Promise<Row[]>
  /** A short transaction, which gives way to others. */
  briefly(statement: string): Promise<void>
}

interface NewIndex {
  readonly name: string
  readonly table: string
  /** What comes before and after `concurrently if not exists NAME on TABLE`. */
  readonly kind: string
  readonly rest: string
}

const CREATE_INDEX = /^create (unique )?index concurrently if not exists (\w+) on (\w+)\b([\s\S]*)$/i
const MAX_DEADLOCKS = 5

/** The one statement of a migration without a transaction. */
export async function runStatement(session: Session, text: string): Promise<void> {
  const statement = text
    .replace(/^--.*$/gm, '')
    .trim()
    .replace(/;$/, '')
  const [, unique = '', name, table, rest] = CREATE_INDEX.exec(statement) ?? []
  if (name === undefined) await session.query(statement)
  else await createIndex(session, { name, table: table!, kind: `${unique}index`, rest: rest! })
}

async function createIndex(session: Session, index: NewIndex): Promise<void> {
  const { name, table, kind, rest } = index
  const [found] = await session.query<{ isParted: boolean }>({
    text: `select relkind = 'p' as "isParted" from pg_class where oid = $1::regclass`,
    values: [table],
  })
  if (!found!.isParted) return createOnTable(session, index)
  // Partitions that are made from here on have it from the beginning.
  await session.briefly(`create ${kind} if not exists ${name} on only ${table}${rest}`)
  for (const partition of await findPartitionsWithout(session, index)) {
    const part = name.startsWith(table) ? partition + name.slice(table.length) : `${partition}_${name}`
    await createIndex(session, { ...index, name: part, table: partition })
    await session.briefly(`alter index ${name} attach partition ${part}`)
  }
}

async function createOnTable(session: Session, { name, table, kind, rest }: NewIndex) {
  const [found] = await session.query<{ isEmpty: boolean }>(`select not exists (select from ${table}) as "isEmpty"`)
  // Beside others it would wait for everybody who has an old snapshot, and there is nothing to read.
  if (found!.isEmpty && !(await isInvalid(session, name)))
    return session.briefly(`create ${kind} if not exists ${name} on ${table}${rest}`)
  for (let deadlocks = 1; ; deadlocks++) {
    // Somebody was cut off while they made it.
    if (await isInvalid(session, name)) await session.query(`drop index concurrently ${name}`)
    try {
      await session.query(`create ${kind} concurrently if not exists ${name} on ${table}${rest}`)
      return
    } catch (error) {
      // With a process of an older version that waits for this one.
      if (!isDeadlock(error) || deadlocks === MAX_DEADLOCKS) throw error
    }
  }
}

async function findPartitionsWithout(session: Session, { name, table }: NewIndex): Promise<string[]> {
  const rows = await session.query<{ name: string }>({
    text: `select c.relname::text as name from pg_inherits h join pg_class c on c.oid = h.inhrelid
      where h.inhparent = $1::regclass and not exists (
        select 1 from pg_inherits parts join pg_index i on i.indexrelid = parts.inhrelid
        where parts.inhparent = $2::regclass and i.indrelid = c.oid) order by 1`,
    values: [table, name],
  })
  return rows.map((row) => row.name)
}

const isInvalid = async (session: Session, name: string) =>
  (
    await session.query({
      text: 'select 1 from pg_index where indexrelid = to_regclass($1) and not indisvalid',
      values: [name],
    })
  ).length > 0
