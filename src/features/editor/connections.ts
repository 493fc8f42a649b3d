import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { type Actor, isInDashboard, keyOf } from '../../kernel/http/actor.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { record } from '../../kernel/outbox/record.ts'
import { newId } from '../../platform/ids.ts'
import { type Writer, writerOf } from './authors.ts'
import { type Resource, requireResource } from './resources.ts'
import { CONNECTION_RENEWAL_MS, EditorConnectionItem, type EditorResource, MAX_CONNECTIONS } from './schema.ts'
import type { EditorServices } from './services.ts'

// Presence: who has a document open. A connection is a lease, so one that ends without a request expires.

/** A dashboard expires after three missed renewals. An agent connects once, and does not renew before it saves. */
const DASHBOARD_LEASE_MS = 3 * CONNECTION_RENEWAL_MS
const AGENT_LEASE_MS = 10 * 60_000

interface Named extends EditorResource {
  readonly agent_name?: string | undefined
}

export async function connect({ db }: EditorServices, actor: Actor, named: Named) {
  const { team } = actor
  const resource = await requireResource(db, team, named)
  const writer = writerOf(actor)
  const now = db.clock.now()
  const leaseMs = isInDashboard(actor) ? DASHBOARD_LEASE_MS : AGENT_LEASE_MS
  const expiresAt = new Date(now.getTime() + leaseMs)
  return db.transaction(async (trx) => {
    await deleteExpired(trx, team, resource.id)
    const { id, isNew, expires_at } = await upsertConnection(trx, team, {
      ...{ resource, writer, now, expiresAt },
      agentName: named.agent_name?.trim() ?? '',
    })
    if (isNew) await tell(trx, team, resource)
    return {
      object: 'editor_connection' as const,
      id,
      room_id: `${resource.type}-${resource.id}`,
      apiKeyId: keyOf(actor),
      expires_at,
    }
  })
}

const tell = (trx: Transaction, team: string, { id, type }: Resource) =>
  record(trx, team, 'editor.connections.updated', [{ id, resource_type: type }])

/** Deletes expired connections, and the oldest beyond the limit. */
const deleteExpired = (trx: Transaction, team: string, resource: string) =>
  trx.query(sql.write`
    delete from editor_connections where team_id = ${team} and resource_id = ${resource}
      and (expires_at <= ${trx.clock.now()} or id in (
        select id from editor_connections where team_id = ${team} and resource_id = ${resource}
        order by expires_at desc offset ${MAX_CONNECTIONS - 1}))`)

interface NewConnection {
  readonly resource: Resource
  readonly writer: Writer
  readonly agentName: string
  readonly now: Date
  readonly expiresAt: Date
}

/** One row for each person or agent, renewed by each request. */
async function upsertConnection(
  trx: Transaction,
  team: string,
  { resource: { type, id }, writer, agentName, now, expiresAt }: NewConnection,
) {
  const [template, broadcast] = type === 'template' ? [id, null] : [null, id]
  const shown = agentName === '' ? writer.type : 'agent'
  const [row] = await trx.query<{ id: string; isNew: boolean; expires_at: string }>(sql.write`
    insert into editor_connections
      (team_id, template_id, broadcast_id, id, author_type, author_id, agent_name, name, created_at, expires_at)
    values (${team}, ${template}, ${broadcast}, ${newId(trx.clock)}, ${writer.type}, ${writer.id}, ${agentName},
      ${shown === 'agent' ? agentName : writer.name}, ${now}, ${expiresAt})
    on conflict (team_id, resource_id, author_type, author_id, agent_name) do update set expires_at = excluded.expires_at
    returning id, xmax = 0 as "isNew", wire_time(expires_at) as expires_at`)
  return row!
}

/** Ends the connection with this agent name, or all connections of the caller. */
export async function disconnect({ db }: EditorServices, actor: Actor, named: Named) {
  const { team } = actor
  const resource = await requireResource(db, team, named)
  const { type, id } = writerOf(actor)
  const agent = named.agent_name?.trim() ?? null
  return db.transaction(async (trx) => {
    const gone = await trx.query(sql.write`
      delete from editor_connections where team_id = ${team} and resource_id = ${resource.id}
        and author_type = ${type} and author_id = ${id}
        and (${agent}::text is null or agent_name = ${agent})
      returning 1 as gone`)
    if (gone.length > 0) await tell(trx, team, resource)
    return { object: 'editor_connection' as const, deleted: gone.length > 0 }
  })
}

export async function connectionRows({ db }: EditorServices, actor: Actor, named: EditorResource): Promise<Rows> {
  const { team } = actor
  const { type, id } = writerOf(actor)
  const resource = await requireResource(db, team, named)
  return {
    columns: columnsOf(EditorConnectionItem, 'c', {
      type: sql`case when c.agent_name = '' then c.author_type else 'agent' end`,
      is_own: sql`c.author_type = ${type} and c.author_id = ${id}`,
    }),
    from: sql`editor_connections c`,
    where: sql`c.team_id = ${team} and c.resource_id = ${resource.id} and c.expires_at > ${db.clock.now()}`,
    id: sql`c.id`,
  }
}

/** The name that an agent has given itself when it connected, if who writes is one. */
export async function agentNameOf(
  db: Queryable,
  team: string,
  { resource, writer }: { readonly resource: string; readonly writer: Writer },
): Promise<string | undefined> {
  const [row] = await db.query<{ name: string }>(sql`
    select name from editor_connections
    where team_id = ${team} and resource_id = ${resource} and author_type = ${writer.type} and author_id = ${writer.id}
      and agent_name <> '' and expires_at > ${db.clock.now()}
    order by created_at desc limit 1`)
  return row?.name
}
