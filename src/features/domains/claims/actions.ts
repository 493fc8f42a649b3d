import { randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import type { Actor } from '../../../kernel/http/actor.ts'
import { fieldsOf } from '../../../kernel/http/columns.ts'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { enqueue } from '../../../kernel/jobs/queries.ts'
import { dropDomain, readDomain, writeNewDomain } from '../actions.ts'
import { findOwner } from '../queries.ts'
import { ClaimDomain } from '../schema.ts'
import { verifyClaim } from './jobs.ts'
import { findClaim, findOpenClaim, findSameClaim, insertClaim, supersedeClaim } from './queries.ts'
import type { DomainClaim } from './schema.ts'
import type { DomainsClaimsServices } from './services.ts'

const VALID_MS = 7 * 24 * 3_600_000

/**
 * Asks for a domain that another team has. A placeholder with keys of its own stands for it in this team until the DNS proves
 * the claim. The same claim twice is one; another one on the same name takes the place of the first.
 */
export async function claimDomain(
  services: DomainsClaimsServices,
  actor: Actor,
  body: Static<typeof ClaimDomain>,
  gone?: AbortSignal,
): Promise<{ claim: DomainClaim; isNew: boolean }> {
  const { db, config, clock } = services
  const { team } = actor
  const asked = fieldsOf(ClaimDomain, body)
  const { name: _given, ...options } = asked
  const values = readDomain({ ...asked, tls: 'opportunistic' })
  const { name } = values
  await requireForeign(services, actor, name)
  const same = await findSameClaim(db, team, name, options)
  if (same) return { claim: same, isNew: false }
  const keys = await services.domainKeys.make(body.dkim, { team, signal: gone })

  return db.transaction(async (trx) => {
    const former = await supersedeClaim(trx, team, name)
    if (former) await dropDomain(trx, config, { team, id: former })
    const placeholder = await writeNewDomain(trx, services, { team, values, keys, isPlaceholder: true })
    if (!placeholder) throw new Problem('resource_locked', 'Another request is already updating this resource.')
    // All of it in real time: what it waits for, name servers, has no other.
    const createdAt = clock.now()
    await insertClaim(trx, team, {
      domainId: placeholder.id,
      name,
      region: body.region,
      options,
      token: randomBytes(16).toString('hex'),
      createdAt,
      expiresAt: new Date(createdAt.getTime() + VALID_MS),
    })
    return { claim: (await findClaim(trx, team, placeholder.id))!, isNew: true }
  })
}

async function requireForeign({ db }: DomainsClaimsServices, { team }: Actor, name: string) {
  const owner = await findOwner(db, team, name)
  if (!owner)
    throw new Problem('validation_error', `The \`${name}\` domain is not registered. Create it with \`POST /domains\`.`)
  if (owner.team === team) throw new Problem('validation_error', `The \`${name}\` domain already belongs to your team.`)
}

/** Begins to look for the proof. A claim that is settled stays as it is. */
export async function startClaimVerification(
  { db }: DomainsClaimsServices,
  { team }: Actor,
  domainId: string,
): Promise<DomainClaim> {
  const claim = found(await findClaim(db, team, domainId), 'Domain claim')
  await db.transaction(async (trx) => {
    if (await findOpenClaim(trx, team, domainId)) await enqueue(trx, verifyClaim, { team, domainId }, { key: domainId })
  })
  return claim
}
