import { thisMachine, thisProcessStart } from './machine.ts'
import { type Sql, sql } from './sql.ts'

/** A node, as a heartbeat shows it. */
export interface Node {
  readonly id: number
  readonly beat: number
  readonly machine: string | null
  readonly pid: number
  /** With the pid, which process it is. Null: nobody can tell. */
  readonly processStart: string | null
  readonly channel: string
  readonly works: readonly string[]
  readonly watches: readonly string[]
  /** Of the secret keys that it has, the beginning of their marks. */
  readonly secretKeys: readonly string[]
  /** How many connections to the database it opens at most. Null: a program that does not say so. */
  readonly connections: number | null
}

/** What a node lets the others know. */
export type Advertised = Pick<Node, 'channel' | 'works' | 'watches' | 'secretKeys' | 'connections'>

/** How `pg_stat_activity` calls the connection of the heartbeats, of which each node has one. Behind it stands the version. */
export const PRESENCE_NAME = 'postwren presence'

/** Ways of storing that came later than others and that this program can read. While a node lacks one, nobody writes it. */
const READS = ['compact_rows']

/** This process enters under a number. */
export const insertNode = (node: number, advertised: Advertised, startedAt: Date): Sql => sql.write`
  insert into nodes (id, machine, pid, process_start, channel, works, watches, secret_keys, connections, reads, started_at)
  values (${node}, ${thisMachine}, ${process.pid}, ${thisProcessStart}, ${advertised.channel}, ${advertised.works},
    ${advertised.watches}, ${advertised.secretKeys}, ${advertised.connections}, ${READS}, ${startedAt})
  on conflict (id) do nothing`

/**
 * Raises the heartbeat of a node and shows all of them. Its own row is missing when somebody has expired it. With a synchronous standby the
 * commit waits for it: a former primary that does not know yet that another one was promoted would go on renewing leases, while at
 * the new one their rows are taken over.
 */
export const raiseHeartbeat = (node: number, changes: Sql = sql``): Sql => sql.write`
  with raised as (update nodes set beat = beat + 1 ${changes} where id = ${node} returning *),
    waits as materialized (
      select set_config('synchronous_commit', 'remote_write', true) where current_setting('synchronous_standby_names') <> '')
  select id, beat::float8 as beat, machine, pid, process_start as "processStart", channel, works, watches, secret_keys as "secretKeys", connections,
    extract(epoch from clock_timestamp())::float8 * 1000 as clock
  from (select * from raised union all select * from nodes where id <> ${node}) seen left join waits on true order by id`

/** Ends the lease of a node whose heartbeat stands still, unless it has moved in the last moment. */
export const expireNode = (node: number, beat: number): Sql =>
  sql.write`delete from nodes where id = ${node} and beat = ${beat}::bigint`

/** Whether rows are written compactly. If all nodes can read that and it is time for it, they are from here on. */
export const storeCompactly = (now: Date): Sql => sql`select store_compactly(${now}) as "isCompact"`

/** What each process watches. */
export const watchesOfNodes = (): Sql => sql`select watches from nodes order by id`

/** Which secret keys each process has. */
export const secretKeysOfNodes = (): Sql => sql`select pid, secret_keys as "secretKeys" from nodes order by id`

/** Tells all nodes that watch a channel, from a process that is none. */
export const wakeWatchers = (channel: string): Sql =>
  sql`select pg_notify(n.channel, ${channel}) from nodes n where ${channel} = any (n.watches)`

/** Whether somebody has a row: the node that is named as its holder is there, and its lease with it. */
export const isHeldByNode = (holder: Sql): Sql => sql`exists (select from nodes n where n.id = ${holder})`
