import { sql } from '../../src/kernel/db/sql.ts'
import type { Endpoint } from '../../src/kernel/http/endpoint.ts'
import type { App, Reply } from './app.ts'

/** What is asked for in a world where it changes nothing. */
const UNCHANGED: Record<string, string> = {
  'domains.claims.verify': 'the claim is settled, and stays as it is',
  'templates.versions.restore': 'the version is the current one',
  'account.update': 'nothing is given',
}

interface Told {
  readonly actor: string
  readonly actorId: string
  readonly action: string
  readonly object: string | null
}

/** What the audit logs of all teams say about one request, once where several say the same. */
const toldOf = (app: App, { headers }: Reply) =>
  app.db.query<Told>(sql`
    select distinct actor_kind || ' ' || actor_name as actor, actor_id as "actorId", action, object_id as object
    from audit_events where id = ${headers['x-request-id']}`)

/** What is wrong in what is told about a good request: nothing, when one event says who did what to what. */
export async function auditMistakes(app: App, endpoint: Endpoint, path: string, reply: Reply): Promise<unknown[]> {
  const told = await toldOf(app, reply)
  const isTold = endpoint.isAudited && !(endpoint.id in UNCHANGED)
  const isRight = ({ actor, actorId, action, object }: Told) =>
    /^(api_key key of |user \S+@)/.test(actor) &&
    action === endpoint.id &&
    // Who joins or leaves is what is changed.
    (object === actorId || isObject(object, endpoint, path, reply))
  return told.length === (isTold ? 1 : 0) && told.every(isRight) ? [] : [[endpoint.id, path, told, reply.body]]
}

/** An id that the answer or the path has. What concerns no single thing has none. */
function isObject(object: string | null, { path: pattern }: Endpoint, path: string, { body, text }: Reply): boolean {
  if (object === null) return typeof body.id !== 'string' && !pattern.includes(':')
  return text.includes(object) || path.includes(object)
}
