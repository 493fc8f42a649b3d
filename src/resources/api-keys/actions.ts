import type { Static } from 'typebox'
import type { Actor } from '../../http/actor.ts'
import { Problem } from '../../http/problem.ts'
import { requireDomain } from '../domains/actions.ts'
import type { Services } from '../services.ts'
import { insertApiKey } from './queries.ts'
import type { CreateApiKey } from './schema.ts'

/** A key may be bound to a domain of the team: then it sends from there, and from nowhere else. */
export function addApiKey(
  { db }: Services,
  { team }: Actor,
  body: Static<typeof CreateApiKey>,
  token: string,
): Promise<string> {
  const { permission, domain_id: domainId } = body
  if (domainId !== undefined && permission !== 'sending_access')
    throw new Problem(
      'validation_error',
      'Invalid `domain_id` field. Only a key with the permission `sending_access` can be bound to a domain.',
    )
  return db.transaction(async (trx) => {
    if (domainId !== undefined) await requireDomain(trx, team, domainId)
    return (await insertApiKey(trx, team, { ...body, token }))!
  })
}
