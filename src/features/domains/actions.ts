import type { Static } from 'typebox'
import type { Transaction } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { fieldsOf } from '../../kernel/http/columns.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { enqueue } from '../../kernel/jobs/queries.ts'
import { type EventType, record } from '../../kernel/outbox/record.ts'
import { isDomain, toAsciiDomain } from '../../mail/address.ts'
import { POLICY_LABEL } from '../../mail/hosted-policy.ts'
import type { Config } from '../../platform/settings/config.ts'
import { requireBelowLimit, requireWithinLimit } from '../limits.ts'
import { cancelClaim } from './claims/queries.ts'
import { verifyDomain } from './jobs.ts'
import { choiceOf, type NewKey, renamed, sealKey } from './keys.ts'
import { domainEventData } from './present.ts'
import {
  type DomainValues,
  deleteDomain,
  findDomain,
  findOwner,
  findSelectors,
  holdDomain,
  insertDomain,
  insertKey,
  lockDomain,
  type StoredDomain,
  updateChecks,
  updateDomain,
} from './queries.ts'
import { proofAfter, refuseForeignName } from './receivers.ts'
import { installationOf, neededRecords, PROOF_KEY, TRACKING_KEY } from './records.ts'
import { CreateDomain, type NewDomain, UpdateDomain } from './schema.ts'
import type { DomainsServices } from './services.ts'
import { begin, hasChanged, judge, keep, missing, nextCheckAt } from './status.ts'

export { loadSigners } from './keys.ts'
export { findSender, findSenderById } from './senders.ts'

/** `gone`: nobody waits for the answer any more. Keys are not made then. */
export async function addDomain(
  services: DomainsServices,
  actor: Actor,
  body: NewDomain,
  gone?: AbortSignal,
): Promise<StoredDomain> {
  const values = readDomain(body)
  if (values.receiving) await refuseForeignName(services.db, services.config, actor.team, values.name)
  if (await findOwner(services.db, actor.team, values.name)) throw taken(values.name)
  await requireBelowLimit(services, actor.team, 'domains')
  const keys = await services.domainKeys.make(body.dkim, { team: actor.team, signal: gone })
  return services.db.transaction(async (trx) => {
    const domain = await writeNewDomain(trx, services, { team: actor.team, values, keys, isPlaceholder: false })
    if (!domain) throw taken(values.name)
    return domain
  })
}

const taken = (name: string) => new Problem('domain_taken', `The \`${name}\` domain has been registered already.`)

/** What was asked for, checked and as it is kept, before the work of making keys. */
export function readDomain(body: NewDomain): DomainValues {
  const { capabilities, dkim: _keys, custom_return_path: return_path, ...values } = fieldsOf(CreateDomain, body)
  requireSeparateNames(return_path, values.tracking_subdomain ?? null)
  const able = readCapabilities(capabilities, { sending: true, receiving: false })
  return { ...values, return_path, ...able, receiving_proof: proofAfter(null, able), name: readName(values.name) }
}

/** The name as the DNS has it. What people type may have capitals, and letters from beyond ASCII. */
function readName(given: string): string {
  const name = toAsciiDomain(given.trim())
  // A name that ends in a number would be an address; 189 leaves room for a label below it.
  if (isDomain(name) && !/\.\d+$/.test(name) && name.length <= 189) return name
  throw new Problem('validation_error', 'Invalid `name` field. It must be a domain name like `example.com`.')
}

/** Writes a new domain with its keys. Undefined when the name is taken. */
export async function writeNewDomain(
  trx: Transaction,
  services: DomainsServices,
  {
    team,
    values,
    keys,
    isPlaceholder,
  }: {
    readonly team: string
    readonly values: DomainValues
    readonly keys: readonly NewKey[]
    readonly isPlaceholder: boolean
  },
): Promise<StoredDomain | undefined> {
  const id = await insertDomain(trx, team, values, isPlaceholder)
  if (!id) return undefined
  await requireWithinLimit(services, trx, team, 'domains')
  const { sealer, config } = services
  for (const key of keys) await insertKey(trx, team, id, { ...key, sealed: sealKey(sealer, id, key) })
  return recordDomain(trx, config, { team, id, type: 'domain.created' })
}

/** Writes down that something happened to a domain, with what it is now. */
export async function recordDomain(
  trx: Transaction,
  config: Config,
  { team, id, type }: { readonly team: string; readonly id: string; readonly type: EventType },
) {
  const domain = (await findDomain(trx, team, id))!
  await record(trx, team, type, [domainEventData(domain, installationOf(config))])
  return domain
}

export function changeDomain(
  { db, config, clock }: DomainsServices,
  { team }: Actor,
  id: string,
  body: Static<typeof UpdateDomain>,
): Promise<void> {
  return db.transaction(async (trx) => {
    const domain = found(await lockDomain(trx, team, id), 'Domain')
    const { capabilities, ...settings } = fieldsOf(UpdateDomain, body)
    const able = readCapabilities(capabilities, domain)
    const changes = { ...settings, ...able, receiving_proof: proofAfter(domain, able) }
    const changed = { ...domain, ...changes }
    requireSeparateNames(changed.return_path, changed.tracking_subdomain)
    requirePolicy(domain, changed)
    if (able.receiving && !domain.receiving) await refuseForeignName(trx, config, team, domain.name)

    const records = neededRecords(changed, installationOf(config))
    const isMoved = changed.tracking_subdomain !== domain.tracking_subdomain
    const stillNeeded = keep(domain.checks, isMoved ? records.filter(({ key }) => key !== TRACKING_KEY) : records)
    const isProvenAnew = domain.is_receiving_proven && domain.receiving_proof === 'dkim' && !able.sending
    const checks = isProvenAnew ? missing(stillNeeded, PROOF_KEY, clock.now()) : stillNeeded
    await updateDomain(trx, team, id, changes)
    await updateChecks(trx, team, id, {
      ...judge(checks, records),
      checks,
      nextCheckAt: nextCheckAt(checks, clock.now()),
    })
    if (isOther(domain, changes)) await recordDomain(trx, config, { team, id, type: 'domain.updated' })
  })
}

const isOther = (before: StoredDomain, changes: object) =>
  Object.entries(changes).some(([name, value]) => before[name as keyof StoredDomain] !== value)

type Switches = { sending?: 'enabled' | 'disabled'; receiving?: 'enabled' | 'disabled' }

function readCapabilities(given: Switches | undefined, before: { sending: boolean; receiving: boolean }) {
  const sending = given?.sending ? given.sending === 'enabled' : before.sending
  const receiving = given?.receiving ? given.receiving === 'enabled' : before.receiving
  if (sending || receiving) return { sending, receiving }
  throw new Problem('validation_error', 'Invalid `capabilities` field. At least one of them must be enabled.')
}

/** A name with a CNAME can have no other records (RFC 1034, 3.6.2), and the return path has two. */
function requireSeparateNames(returnPath: string, trackingSubdomain: string | null) {
  if (returnPath === trackingSubdomain)
    throw new Problem(
      'validation_error',
      `Invalid \`tracking_subdomain\` field. \`${returnPath}\` is the return path of the domain.`,
    )
}

/** A policy is for mail that arrives, is tried before others go by it, and has a name of its own. */
function requirePolicy(before: StoredDomain, after: StoredDomain) {
  if (after.mta_sts === 'off') return
  const refuse = (reason: string): never => {
    throw new Problem('validation_error', `Invalid \`mta_sts\` field. ${reason}`)
  }
  if (after.mta_sts !== before.mta_sts && !after.receiving) refuse('Only domains that receive have a policy.')
  if (after.mta_sts === 'enforce' && before.mta_sts === 'off') refuse('Start with `testing`.')
  if ([after.return_path, after.tracking_subdomain].includes(POLICY_LABEL))
    refuse(`\`${POLICY_LABEL}\` is used by the domain for something else.`)
}

/** Deleting a placeholder is how a claim is given up. */
export function removeDomain({ db, config }: DomainsServices, { team }: Actor, id: string): Promise<void> {
  return db.transaction(async (trx) => {
    const domain = found(await lockDomain(trx, team, id), 'Domain')
    if (domain.is_placeholder) await cancelClaim(trx, team, id)
    await dropDomain(trx, config, { team, id })
  })
}

/** Deletes it if it is still there, and records the event. Keys that are bound to it go along. */
export async function dropDomain(
  trx: Transaction,
  config: Config,
  { team, id }: { readonly team: string; readonly id: string },
) {
  if (!(await lockDomain(trx, team, id))) return
  await recordDomain(trx, config, { team, id, type: 'domain.deleted' })
  await deleteDomain(trx, team, id)
}

/** Begins to look for the records. Those that are good stay so, and are looked at again. */
export function startVerification({ db, config, clock }: DomainsServices, { team }: Actor, id: string): Promise<void> {
  return db.transaction(async (trx) => {
    const domain = found(await lockDomain(trx, team, id), 'Domain')
    if (domain.is_placeholder)
      throw new Problem('validation_error', 'This domain is being claimed from another team. Verify the claim first.')
    const records = neededRecords(domain, installationOf(config))
    const checks = begin(domain.checks, records, clock.now())
    const next = nextCheckAt(checks, clock.now())
    await updateChecks(trx, team, id, { ...judge(checks, records), checks, nextCheckAt: next })
    if (hasChanged(domain.checks, checks)) await recordDomain(trx, config, { team, id, type: 'domain.updated' })
    await enqueue(trx, verifyDomain, { team, domainId: id }, { key: id })
  })
}

/**
 * Makes keys that are to take the place of those that sign. They take over by themselves when their records are in the DNS; until then mail is signed as
 * before. Asked for again meanwhile, it changes nothing.
 */
export async function rotateKeys(services: DomainsServices, { team }: Actor, id: string): Promise<void> {
  const { db, config, clock, sealer } = services
  const before = found(await findDomain(db, team, id), 'Domain')
  if (before.is_placeholder || !before.sending)
    throw new Problem('validation_error', 'Only domains that send have DKIM keys.')
  // Before the transaction: an RSA key takes a while, and others wait for the row.
  const keys = await services.domainKeys.make(choiceOf(before.keys.map(({ selector }) => selector)), { team })
  await db.transaction(async (trx) => {
    const domain = found(await lockDomain(trx, team, id), 'Domain')
    if (domain.keys.some(({ state }) => state === 'pending')) return
    const taken = await findSelectors(trx, team, id)
    for (const key of renamed(keys, taken, clock.now()))
      await insertKey(trx, team, id, { ...key, sealed: sealKey(sealer, id, key), state: 'pending' })
    const changed = (await lockDomain(trx, team, id))!
    const records = neededRecords(changed, installationOf(config))
    const checks = begin(changed.checks, records, clock.now())
    await updateChecks(trx, team, id, {
      ...judge(checks, records),
      checks,
      nextCheckAt: nextCheckAt(checks, clock.now()),
    })
    await recordDomain(trx, config, { team, id, type: 'domain.updated' })
    await enqueue(trx, verifyDomain, { team, domainId: id }, { key: id })
  })
}

/** It is the team's, and stays until the transaction ends. */
export async function requireDomain(trx: Transaction, team: string, id: string) {
  found(await holdDomain(trx, team, id), 'Domain')
}
