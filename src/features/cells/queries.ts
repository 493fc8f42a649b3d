import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { TEAMS_OF_PEOPLE } from '../teams/reads.ts'
import type { TeamMove } from './reads.ts'

type Direction = TeamMove['direction']

export interface StoredMove extends TeamMove {
  /** Of the team before it was held. */
  readonly suspendedAt: Date | null
  readonly suspendedReason: string | null
}

export async function findMove(db: Queryable, team: string, direction: Direction): Promise<StoredMove | undefined> {
  const [move] = await db.query<StoredMove>(sql`
    select team, direction, phase, cell, url, cleaned_at is not null as "isClean", suspended_at as "suspendedAt",
      suspended_reason as "suspendedReason"
    from team_moves where team = ${team} and direction = ${direction}`)
  return move
}

/** A team that leaves or has left, by its name at that time. */
export async function findLeaving(db: Queryable, name: string): Promise<string | undefined> {
  const [move] = await db.query<{ team: string }>(sql`
    select team from team_moves where direction = 'out' and name = ${name} order by started_at desc limit 1`)
  return move?.team
}

/** Notes that a team is about to move. One that is noted already stays as it is. */
export const noteMove = (
  db: Queryable,
  { team, direction, cell, url, name }: Pick<TeamMove, 'team' | 'direction' | 'cell' | 'url'> & { name: string },
) =>
  db.query(sql.write`
    insert into team_moves (team, direction, name, cell, url, phase, started_at)
    values (${team}, ${direction}, ${name}, ${cell}, ${url}, 'copying', ${db.clock.now()}) on conflict do nothing`)

export const forgetMove = (db: Queryable, team: string, direction: Direction) =>
  db.query(sql.write`delete from team_moves where team = ${team} and direction = ${direction}`)

/** From the commit on nobody shall write for the team; processes know it with their next heartbeat. What it was before is kept. */
export const noteHeld = (db: Queryable, team: string) =>
  db.query(sql.write`
    update team_moves m set phase = 'held', suspended_at = t.suspended_at, suspended_reason = t.suspended_reason
    from ${TEAMS_OF_PEOPLE} t
    where m.team = ${team} and m.direction = 'out' and m.phase = 'copying' and t.id = m.team`)

export const noteReleased = (db: Queryable, team: string) =>
  db.query(sql.write`
    update team_moves set phase = 'copying' where team = ${team} and direction = 'out' and phase = 'held'`)

/** The one statement that decides where a team lives. False: it is not held. */
export async function noteMoved(trx: Transaction, team: string, direction: Direction): Promise<boolean> {
  const rows = await trx.query(sql.write`
    update team_moves set phase = 'moved', moved_at = ${trx.clock.now()}
    where team = ${team} and direction = ${direction} and phase = ${direction === 'out' ? 'held' : 'copying'} returning team`)
  return rows.length > 0
}

export const noteClean = (db: Queryable, team: string) =>
  db.query(sql.write`
    update team_moves set cleaned_at = ${db.clock.now()} where team = ${team} and direction = 'out' and phase = 'moved'`)

/** What whoever comes to the old cell is recognised by. */
export async function keepPointers(
  trx: Transaction,
  team: string,
  { keys, domains }: { keys: readonly { digest: Buffer; prefix: string }[]; domains: readonly string[] },
) {
  await trx.query(sql.write`
    insert into moved_keys (token_sha256, token_prefix, team)
    select unnest(${keys.map(({ digest }) => digest)}::bytea[]), unnest(${keys.map(({ prefix }) => prefix)}::text[]), ${team}
    on conflict (token_sha256) do update set team = excluded.team`)
  await trx.query(sql.write`
    insert into moved_domains (name, team) select unnest(${domains}::text[]), ${team}
    on conflict (name) do update set team = excluded.team`)
}

/** The team lives here again. */
export async function deletePointers(trx: Transaction, team: string) {
  await trx.query(sql.write`delete from moved_keys where team = ${team}`)
  await trx.query(sql.write`delete from moved_domains where team = ${team}`)
}

/** For each table, the snapshot of the old cell that its rows were last copied in. */
export async function readCopied(db: Queryable, team: string): Promise<Record<string, string>> {
  const [move] = await db.query<{ copied: Record<string, string> }>(sql`
    select copied from team_moves where team = ${team} and direction = 'in'`)
  return move?.copied ?? {}
}

export const noteCopied = (
  db: Queryable,
  team: string,
  { kind, snapshot }: { readonly kind: string; readonly snapshot: string },
) =>
  db.query(sql.write`
    update team_moves set copied = copied || jsonb_build_object(${kind}::text, ${snapshot}::text)
    where team = ${team} and direction = 'in'`)

/** Rows that wait until the team lives here. */
export async function parkRows(
  trx: Queryable,
  team: string,
  { kind, lines }: { readonly kind: string; readonly lines: readonly string[] },
) {
  await trx.query(sql.write`
    insert into arriving_rows (team, kind, number, line)
    select ${team}, ${kind}, coalesce((select max(number) from arriving_rows where team = ${team} and kind = ${kind}), 0) + given.number,
      given.line::json
    from unnest(${lines}::text[]) with ordinality given (line, number)`)
}

export const parkedRows = (trx: Queryable, team: string) =>
  trx.query<{ kind: string; lines: string }>(sql`
    select kind, json_agg(line order by number)::text as lines from arriving_rows
    where team = ${team} group by kind, (number - 1) / 1000 order by kind, (number - 1) / 1000`)

export const deleteParked = (trx: Queryable, team: string) =>
  trx.query(sql.write`delete from arriving_rows where team = ${team}`)
