import type { Queryable } from './database.ts'
import { PRESENCE_NAME } from './nodes.ts'
import { type Sql, sql } from './sql.ts'

/** What a server allows, and what is wanted of it. */
export interface ConnectionUse {
  readonly maxConnections: number
  /** Of them for administrators. */
  readonly reserved: number
  readonly nodes: number
  /** The sum over the nodes of what each may open. */
  readonly budgets: number
  /** What other programs have open at the moment, on the whole server. */
  readonly others: number
}

/** Of a program that does not say how many it opens: what its default was. */
const UNKNOWN_BUDGET = 16

/**
 * Whoever may not see the kind of a backend of another role counts it as a client, which nearly all are. Commands count as nodes: they are
 * short, and called the same. `doctor` also looks at a database in which no program has said how many it opens, since it has no column for that.
 */
const connectionUse = (): Sql => sql`
  select current_setting('max_connections')::int as "maxConnections",
    current_setting('superuser_reserved_connections')::int
      + coalesce(current_setting('reserved_connections', true)::int, 0) as reserved,
    (select count(*) from nodes)::int as nodes,
    (select coalesce(sum(coalesce((to_jsonb(n) ->> 'connections')::int, ${UNKNOWN_BUDGET}::int)), 0) from nodes n)::int as budgets,
    (select count(*) from pg_stat_activity
      where datname is not null and (backend_type is null or backend_type = 'client backend') and pid <> pg_backend_pid()
        and application_name <> 'postwren lease' and not (datname = current_database() and (
          application_name in ('postwren', current_setting('application_name'))
          or starts_with(application_name, ${PRESENCE_NAME}))))::int as others`

export async function readConnectionUse(db: Pick<Queryable, 'query'>): Promise<ConnectionUse> {
  const [row] = await db.query<ConnectionUse>(connectionUse())
  return row!
}

export const allowedOf = ({ maxConnections, reserved }: ConnectionUse) => maxConnections - reserved
export const neededOf = ({ budgets, others }: ConnectionUse) => budgets + others

/** What to do when the nodes together may want more than there is; null when they cannot. */
export function shortageOf(use: ConnectionUse): string | null {
  const { maxConnections, reserved, nodes, budgets, others } = use
  const needed = neededOf(use)
  if (needed <= allowedOf(use)) return null
  const enough = Math.ceil((needed + reserved) / 10) * 10
  const processes = nodes === 1 ? 'the running process' : `the ${nodes} running processes`
  return `${processes} may open ${budgets} connections and other programs have ${others}, but PostgreSQL allows ${allowedOf(use)} (max_connections = ${maxConnections}, ${reserved} reserved): set max_connections to ${enough} or more, or lower POSTWREN_DATABASE_CONNECTIONS`
}
