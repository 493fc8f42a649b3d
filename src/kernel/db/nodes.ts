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

/** This process enters under a number. */
export const insertNode = (node: number, advertised: Advertised, startedAt: Date): Sql => sql.write`
  insert into nodes (id, machine, pid, process_start, channel, works, watches, secret_keys, connections, started_at)
  values (${node}, ${thisMachine}, ${process.pid}, ${thisProcessStart}, ${advertised.channel}, ${advertised.works},
    ${advertised.watches}, ${advertised.secretKeys}, ${advertised.connections}, ${startedAt})
  on conflict (id) do nothing`

/** Raises the heartbeat of a node and shows all of them. Its own row is missing when somebody has expired it. */
export const raiseHeartbeat = (node: number, changes: Sql = sql``): Sql => sql.write`
  with raised as (update nodes set beat = beat + 1 ${changes} where id = ${node} returning *)
  select id, beat::float8 as beat, machine, pid, process_start as "processStart", channel, works, watches, secret_keys as "secretKeys", connections,
    extract(epoch from clock_timestamp())::float8 * 1000 as clock
  from (select * from raised union all select * from nodes where id <> ${node}) seen order by id`

/** Ends the lease of a node whose heartbeat stands still, unless it has moved in the last moment. */
export const expireNode = (node: number, beat: number): Sql =>
  sql.write`delete from nodes where id = ${node} and beat = ${beat}::bigint`

/** Which secret keys each process has. */
export const secretKeysOfNodes = (): Sql => sql`select pid, secret_keys as "secretKeys" from nodes order by id`
