import type { Queryable } from '../platform/db/database.ts'
import { toJson } from '../platform/db/rows.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'

/** Who acts, as the audit log names them. */
export const ACTOR_KINDS = ['user', 'api_key', 'oauth_token', 'smtp', 'automation', 'system'] as const

export interface AuditActor {
  readonly kind: (typeof ACTOR_KINDS)[number]
  readonly id: string | null
  /** As it is now: people and keys get other names, and go. */
  readonly name: string | null
}

/** Something that was done, whoever asked for it. What a request does is written down by the kernel: see `AuditTrail`. */
export interface AuditEvent {
  readonly actor: AuditActor
  /** The id of an endpoint, or one of `OTHER_ACTIONS`. */
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
const MAX_USER_AGENT = 500

/** In the transaction of what was done, so that neither is there without the other. */
export async function recordAudit(db: Queryable, { team, ...event }: AuditEvent & { readonly team: string }) {
  await db.query(sql`insert into audit_events (${COLUMNS}) values (${team}, ${valuesOf(db, team, event)})`)
}

/** What people do to their own account, like signing in: in each of their teams, whose owners are to know. */
export async function recordAuditOfPerson(
  db: Queryable,
  { actor: { id, name }, ...event }: Omit<AuditEvent, 'actor'> & { actor: { id: string; name: string | null } },
) {
  const actor = { kind: 'user', id, name } as const
  await db.query(sql`
    insert into audit_events (${COLUMNS})
    select team_id, ${valuesOf(db, id, { ...event, actor })} from memberships where user_id = ${id}`)
}

const COLUMNS = sql`
  team_id, id, created_at, actor_kind, actor_id, actor_name, action, object_id, details, ip_address, user_agent`

function valuesOf({ clock }: Queryable, team: string, event: AuditEvent) {
  const { actor, action, objectId, details, ipAddress, userAgent } = event
  const own = clock.of(team)
  return sql`${newId(own)}::uuid, ${own.now()}::timestamptz, ${actor.kind}, ${actor.id}, ${actor.name}, ${action},
    ${objectId ?? null}, ${toJson(details)}::jsonb, ${ipAddress ?? null}, ${userAgent?.slice(0, MAX_USER_AGENT) ?? null}`
}
