import type { Queryable } from '../db/database.ts'
import { toJson } from '../db/rows.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { ActorDirectory } from './actor-directory.ts'
import type { AuditAnnotation } from './annotations.ts'
import { type AuditActor, COLUMNS, shortUserAgent } from './record.ts'

/** A request to an endpoint that is audited. */
export interface AuditedRequest {
  /** Also that of its entry in the log of requests. */
  readonly id: string
  readonly team: string
  readonly actor: Omit<AuditActor, 'name'>
  readonly directory: ActorDirectory
  /** Whose logs tell of it: the team's that acts, those of all teams of the person, or that of the team in the path. */
  readonly toldTo: 'team' | 'teams of the person' | 'team in the path'
  /** The id of the endpoint. */
  readonly action: string
  /** Of the path. */
  readonly params: Readonly<Record<string, string>>
  /** What the object is to be called, when the body says so: what is deleted later cannot be asked any more. */
  readonly name: string | null
  readonly ipAddress: string
  readonly userAgent: string | null
}

/**
 * Returns whether something was written down: a transaction without an id of its own has changed nothing, whatever its statements
 * could have. What an act has noted is told in any case. `before` sees what there was before this transaction.
 */
export async function recordRequest(
  trx: Queryable,
  before: Queryable,
  request: AuditedRequest,
  { objectId, annotation }: { readonly objectId: string | undefined; readonly annotation: AuditAnnotation | undefined },
): Promise<boolean> {
  const { id, team, actor, directory, action, params, ipAddress, userAgent } = request
  // What the path names besides the object: what was duplicated, which segment a contact was added to.
  const others = Object.fromEntries(Object.entries(params).filter(([, named]) => named !== objectId))
  const details = { ...others, ...(request.name !== null && { name: request.name }), ...annotation?.details }
  const name = directory.nameOf(team, actor)
  const rows = await trx.query<{ name: string | null }>(sql.write`
    insert into audit_events (${COLUMNS})
    select team_id, ${id}::uuid, ${trx.clock.of(team).now()}::timestamptz, ${actor.kind}, ${actor.id}, ${name}, ${action},
      ${objectId ?? null}, ${Object.keys(details).length > 0 ? toJson(details) : null}::jsonb, ${ipAddress},
      ${shortUserAgent(userAgent)}
    from ${whoseLog(request, annotation)}
    where ${annotation !== undefined} or pg_current_xact_id_if_assigned() is not null
    on conflict do nothing
    returning actor_name as name`)
  if (rows.length > 0 && rows[0]!.name === null) {
    // A key that has just deleted itself.
    const [found] = await before.query<{ name: string | null }>(sql`select ${name} as name`)
    await trx.query(
      sql.write`update audit_events set actor_name = ${found!.name} where team_id = ${team} and id = ${id}`,
    )
  }
  return rows.length > 0
}

function whoseLog(
  { toldTo, team, actor, directory, params }: AuditedRequest,
  annotation: AuditAnnotation | undefined,
): Sql {
  const one = (which: string) => sql`(select ${which}::uuid as team_id) whose`
  if (annotation?.team !== undefined) return one(annotation.team)
  switch (toldTo) {
    case 'team':
      return one(team)
    case 'team in the path':
      return one(Object.values(params)[0] ?? team)
    case 'teams of the person':
      return sql`(${directory.teamsOf(actor.id!)}) whose`
  }
}
