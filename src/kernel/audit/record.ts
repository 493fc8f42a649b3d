import { newId } from '../../platform/ids.ts'
import type { Queryable } from '../db/database.ts'
import { toJson } from '../db/rows.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { ACTOR_KINDS } from './schema.ts'

export interface AuditActor {
  readonly kind: (typeof ACTOR_KINDS)[number]
  readonly id: string | null
  /** As it is now: people and keys get other names, and go. */
  readonly name: string | null
}

/** Something that was done, whoever asked for it. What a request does is written down by the kernel: see `AuditedDatabase`. */
export interface AuditEvent {
  readonly actor: AuditActor
  /** One of `OTHER_ACTIONS`, or the id of an endpoint. */
  readonly action: string
  /** What it was done to. */
  readonly objectId?: string | null
  /** What else is worth knowing. Never a secret. */
  readonly details?: object | null
  readonly ipAddress?: string | null
  readonly userAgent?: string | null
}

/** Nobody in particular: the program itself. */
export const SYSTEM: AuditActor = { kind: 'system', id: null, name: null }

/** A browser's is some 150 characters; what clients make up has no end. */
export const shortUserAgent = (text: string | null | undefined) => text?.slice(0, 500) ?? null

/** In the transaction of what was done, so that neither is there without the other. Gives the id of the event. */
export async function recordAudit(
  db: Queryable,
  { team, ...event }: AuditEvent & { readonly team: string },
): Promise<string> {
  const [row] = await db.query<{ id: string }>(sql.write`
    insert into audit_events (${COLUMNS}) values (${team}, ${valuesOf(db, team, event)}) returning id`)
  return row!.id
}

/** Adds to an event of an act that takes several transactions, in each of them. */
export async function amendAudit(db: Queryable, team: string, id: string, details: object) {
  await db.query(sql.write`
    update audit_events set details = coalesce(details, '{}') || ${toJson(details)}::jsonb where team_id = ${team} and id = ${id}`)
}

/** What the program does by itself, and somebody will ask who did it. */
export const recordSystemAudit = (
  db: Queryable,
  team: string,
  event: Pick<AuditEvent, 'action' | 'objectId' | 'details'>,
): Promise<string> => recordAudit(db, { team, actor: SYSTEM, ...event })

/** What people do to their own account, like signing in: in each of their teams, whose owners are to know. `teams` is a query for these. */
export async function recordAuditOfPerson(
  db: Queryable,
  teams: Sql,
  { actor: { id, name }, ...event }: Omit<AuditEvent, 'actor'> & { actor: { id: string; name: string | null } },
) {
  await recordAuditOfTeams(db, teams, { ...event, actor: { kind: 'user', id, name } })
}

/** What concerns several teams. `teams` is a query for their `team_id`. */
export async function recordAuditOfTeams(db: Queryable, teams: Sql, event: AuditEvent) {
  await db.query(sql.write`
    insert into audit_events (${COLUMNS})
    select team_id, ${valuesOf(db, '', event)} from (${teams}) whose`)
}

export const COLUMNS = sql`
  team_id, id, created_at, actor_kind, actor_id, actor_name, action, object_id, details, ip_address, user_agent`

/** The id is one of real time, as that of a request is: both are in one order. */
function valuesOf({ clock }: Queryable, team: string, event: AuditEvent): Sql {
  const { actor, action, objectId, details, ipAddress, userAgent } = event
  return sql`${newId(clock)}::uuid, ${clock.of(team).now()}::timestamptz, ${actor.kind}, ${actor.id}, ${actor.name},
    ${action}, ${objectId ?? null}, ${toJson(details)}::jsonb, ${ipAddress ?? null}, ${shortUserAgent(userAgent)}`
}
