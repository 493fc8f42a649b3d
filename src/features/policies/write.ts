import { annotateAudit } from '../../kernel/audit/annotations.ts'
import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import type { PolicyHolder } from '../../kernel/http/policy-page.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { isAddress, isDomain } from '../../mail/address.ts'
import { segmentExists } from '../segments/reads.ts'
import { addedRestrictions, enqueueJudging } from './changes.ts'
import { deletePolicy, type PolicyRef, readPolicies, writePolicy } from './queries.ts'
import { type Policy, Policy as Schema } from './schema.ts'

/** Gives a key, an app or an inbox's agent its policy, or takes it away. Commits with what else changes of it. */
export async function setPolicy(
  trx: Transaction,
  { team, policyId, holder, isNew = false }: PolicyRef & { readonly holder: PolicyHolder; readonly isNew?: boolean },
  policy: Policy | null,
) {
  annotateAudit(trx, { details: { policy: policy && summaryOf(policy) } })
  if (policy === null) return deletePolicy(trx, { team, policyId })
  await requireSound(trx, team, policy)
  const [before] = isNew ? [] : await readPolicies(trx, [{ team, policyId }])
  await writePolicy(trx, { team, policyId, holder, policy })
  // Whoever is made with its policy has scheduled nothing without it.
  const guards = isNew ? [] : addedRestrictions(before?.policy ?? null, policy)
  if (guards.length > 0) await enqueueJudging(trx, { team, policyId, guards })
}

/** What the shape cannot say: domains that are none would allow nobody, and nobody would know why. */
async function requireSound(db: Queryable, team: string, policy: Policy) {
  const { recipients, senders, hold } = policy
  requireKnown('policy', policy, Schema.properties)
  if (recipients) requireKnown('recipients', recipients, Schema.properties.recipients.properties)
  if (typeof hold === 'object') requireKnown('hold', hold, Schema.properties.hold.anyOf[1].properties)
  for (const domain of recipients?.domains ?? [])
    if (!isDomain(domain)) throw invalid('recipients.domains', `${shown(domain)} is not a domain.`)
  for (const sender of senders ?? [])
    if (!(sender.includes('@') ? isAddress(sender) : isDomain(sender)))
      throw invalid('senders', `${shown(sender)} is neither an address nor a domain.`)
  if (recipients?.segment_id !== undefined && !(await segmentExists(db, team, recipients.segment_id)))
    throw new Problem('not_found', 'Segment not found')
}

/** Elsewhere what nobody knows is ignored. A rule with a mistake in its name would allow everything. */
function requireKnown(field: string, given: object, properties: object) {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(properties, name))
  if (unknown !== undefined) throw invalid(field, `there is no ${shown(unknown)}.`)
}

/** As the audit log has it: lists may be long, and are of people. */
export function summaryOf({ recipients, senders, hold, ...rest }: Policy): object {
  return {
    ...rest,
    ...(recipients && { recipients: counted(recipients) }),
    ...(senders && { senders: senders.length }),
    ...(hold !== undefined && { hold: typeof hold === 'object' ? counted(hold) : hold }),
  }
}

const counted = (rule: object) =>
  Object.fromEntries(Object.entries(rule).map(([name, value]) => [name, Array.isArray(value) ? value.length : value]))

const MAX_SHOWN = 100

const shown = (text: string) => `\`${text.slice(0, MAX_SHOWN)}\``

const invalid = (field: string, reason: string) =>
  new Problem('validation_error', `Invalid \`policy\` field. In \`${field}\` ${reason}`)
