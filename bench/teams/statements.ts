import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from '../../src/kernel/db/sql.ts'
import type { Contender } from '../compare/contender.ts'

const SHOWN = 25
const SHOWN_CHARACTERS = 140
/** What reads less in a call is not worth a line. */
const MIN_BUFFERS = 50
const MIN_RATIO = 2

/** PostgreSQL counts statements only when it was told so before it starts. */
export const countStatements = (dataDir: string) =>
  appendFileSync(
    join(dataDir, 'postgres', 'postgresql.auto.conf'),
    "shared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.max = 10000\n",
  )

export async function beginCounting({ database: { db } }: Contender) {
  await db.queryPooled(sql`create extension if not exists pg_stat_statements`)
  await db.queryPooled(sql`select pg_stat_statements_reset()`)
}

interface Statement {
  readonly query: string
  readonly calls: number
  /** Of one call. */
  readonly buffers: number
  readonly milliseconds: number
}

const statementsOf = ({ database: { db } }: Contender) =>
  db.queryPooled<Statement>(sql`
    select query, sum(calls)::float8 as calls, (sum(shared_blks_hit + shared_blks_read) / sum(calls))::float8 as buffers,
      (sum(total_exec_time) / sum(calls))::float8 as milliseconds
    from pg_stat_statements where query !~ 'filled|base36|pg_stat' group by query`)

/** Statements that read more pages with many teams than with one, and those that took more time in all for the same work, as tables in Markdown. */
export async function grownStatements(one: Contender, many: Contender): Promise<string> {
  const before = new Map((await statementsOf(one)).map((statement) => [statement.query, statement]))
  const after = await statementsOf(many)
  return `${largerStatements(before, after)}\n\n${slowerStatements(before, after)}`
}

type Statements = ReadonlyMap<string, Statement>

function largerStatements(before: Statements, after: readonly Statement[]): string {
  const grown = after.filter(
    ({ query, buffers }) => buffers >= MIN_BUFFERS && buffers >= MIN_RATIO * (before.get(query)?.buffers ?? 0),
  )
  const rows = grown
    .sort((a, b) => b.calls * b.buffers - a.calls * a.buffers)
    .slice(0, SHOWN)
    .map(({ query, calls, buffers, milliseconds }) => {
      const known = before.get(query)
      return `| \`${shorten(query)}\` | ${calls} | ${known?.buffers.toFixed(0) ?? '–'} | ${buffers.toFixed(0)} | ${milliseconds.toFixed(1)} ms |`
    })
  return [
    '| statement | calls | buffers a call, one team | many teams | time |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

const totalOf = (statement: Statement | undefined) => (statement ? statement.calls * statement.milliseconds : 0)

/** Asked for once for each team instead of once for a batch, or larger: both took the same work. */
function slowerStatements(before: Statements, after: readonly Statement[]): string {
  const more = (statement: Statement) => totalOf(statement) - totalOf(before.get(statement.query))
  const rows = [...after]
    .sort((a, b) => more(b) - more(a))
    .slice(0, SHOWN)
    .map((statement) => {
      const known = before.get(statement.query)
      return `| \`${shorten(statement.query)}\` | ${known?.calls ?? 0} | ${statement.calls} | ${totalOf(known).toFixed(0)} ms | ${totalOf(statement).toFixed(0)} ms |`
    })
  return [
    '| statement | calls, one team | many teams | time in all, one team | many teams |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

const shorten = (query: string) => query.replace(/\s+/g, ' ').replaceAll('|', '¦').trim().slice(0, SHOWN_CHARACTERS)
