import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { type Actor, requirePermission, userOf } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { readMoment } from '../../mail/moment.ts'
import { requireDomain } from '../domains/index.ts'
import { setPolicy } from '../policies/write.ts'
import { deleteApiKey, findPermission, insertApiKey, updateApiKey } from './queries.ts'
import type { CreateApiKey, UpdateApiKey } from './schema.ts'
import type { ApiKeysServices } from './services.ts'

/** A key may be bound to a domain of the team: then it sends from there, and from nowhere else. */
export function addApiKey(
  { db, clock }: ApiKeysServices,
  actor: Actor,
  body: Static<typeof CreateApiKey>,
  token: string,
): Promise<string> {
  const { permission, domain_id: domainId } = body
  const { team } = actor
  if (permission === 'full_access') requirePermission(actor, 'full_keys')
  if (domainId !== undefined && permission !== 'sending_access')
    throw new Problem(
      'validation_error',
      'Invalid `domain_id` field. Only a key with the permission `sending_access` can be bound to a domain.',
    )
  const expires_at = body.expires_at == null ? null : readExpiry(body.expires_at, clock.of(team).now())
  return db.transaction(async (trx) => {
    if (domainId !== undefined) await requireDomain(trx, team, domainId)
    const id = (await insertApiKey(trx, team, { ...body, expires_at, created_by: userOf(actor), token }))!
    if (body.policy) await setPolicy(trx, { ...policyRef(team, id), isNew: true }, body.policy)
    return id
  })
}

const policyRef = (team: string, id: string) => ({ team, policyId: id, holder: 'api_key' as const })

/** Another name, another policy, or none. A change of the policy counts for all mail that is accepted after it. */
export async function changeApiKey(
  { db }: ApiKeysServices,
  actor: Actor,
  id: string,
  { name, policy }: Static<typeof UpdateApiKey>,
): Promise<void> {
  const { team } = actor
  if (name === undefined && policy === undefined) throw new Problem('missing_required_field', 'Missing `name` field.')
  await requireManages(db, actor, id)
  await db.transaction(async (trx) => {
    found(await updateApiKey(trx, team, id, name === undefined ? {} : { name }), 'API key')
    if (policy !== undefined) await setPolicy(trx, policyRef(team, id), policy)
  })
}

export async function removeApiKey({ db }: ApiKeysServices, actor: Actor, id: string): Promise<void> {
  await requireManages(db, actor, id)
  found(await db.transaction((trx) => deleteApiKey(trx, actor.team, id)), 'API key')
}

/** What a key may do never changes, so it can be looked up before. */
async function requireManages(db: Queryable, actor: Actor, id: string) {
  if (actor.permissions.has('full_keys')) return
  const permission = found(await findPermission(db, actor.team, id), 'API key')
  if (permission === 'full_access') requirePermission(actor, 'full_keys')
}

/** Who wants a key for longer wants one that does not expire. */
const MAX_LIFETIME_YEARS = 100
const YEAR_MS = 365.25 * 86_400_000

function readExpiry(text: string, now: Date): Date {
  const reading = readMoment(text, now)
  if ('unclear' in reading) throw refusedExpiry('It must be a date in ISO 8601, or words like `in 90 days`.')
  const { moment } = reading
  if (moment <= now) throw refusedExpiry('It must be in the future.')
  if (moment.getTime() - now.getTime() > MAX_LIFETIME_YEARS * YEAR_MS)
    throw refusedExpiry(`It must be at most ${MAX_LIFETIME_YEARS} years ahead.`)
  return moment
}

const refusedExpiry = (reason: string) => new Problem('validation_error', `Invalid \`expires_at\` field. ${reason}`)
