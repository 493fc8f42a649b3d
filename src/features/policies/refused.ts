import { howToAllowMore, type PolicyHolder, policyPage } from '../../kernel/http/policy-page.ts'
import { Problem } from '../../kernel/http/problem.ts'
import type { JudgedEmail, Refusal } from './rules.ts'
import type { RecordedRule } from './schema.ts'

const NAMES: Record<PolicyHolder, string> = {
  api_key: 'this API key',
  oauth_grant: 'this app',
  inbox_agent: "this inbox's agent",
}

/** Something that a policy has refused, or would have in a dry run. */
export interface RefusedEmail {
  readonly team: string
  readonly policyId: string
  readonly refusal: Refusal
  readonly email: Pick<JudgedEmail, 'from' | 'recipients' | 'subject'>
}

/** What is recorded of it, or of a call that a policy leaves no room for. */
export type RecordedRefusal = Omit<RefusedEmail, 'refusal'> & { readonly refusal: { readonly rule: RecordedRule } }

/** What is said of a refusal: the rule, and where the policy is changed. */
export const refusalMessage = (
  publicUrl: string,
  { holder, policyId }: { readonly holder: PolicyHolder; readonly policyId: string },
  { message }: Refusal,
) => `Refused by the policy of ${NAMES[holder]}: ${message} ${howToAllowMore(policyPage(publicUrl, holder, policyId))}`

/** A policy does not allow an email. Nothing of its request was accepted. */
export class PolicyRefused extends Problem {
  /** All reasons. */
  readonly refused: readonly RefusedEmail[]
  readonly #holder: PolicyHolder

  constructor(holder: PolicyHolder, refused: readonly RefusedEmail[]) {
    super('policy_refused', refused[0]!.refusal.message)
    this.refused = refused
    this.#holder = holder
  }

  /** For whoever sent it: with the first reason. */
  at(publicUrl: string): Problem {
    const [{ policyId, refusal }] = this.refused as readonly [RefusedEmail]
    return new Problem('policy_refused', refusalMessage(publicUrl, { holder: this.#holder, policyId }, refusal))
  }
}

/**
 * The policy was removed, or the key with it, a moment ago: who acts is looked up again within a second, and a second try gets the answer
 * that counts then. Until that is known, nothing is sent without a policy that was sent under one.
 */
export const policyGone = () =>
  new Problem('service_unavailable', 'The policy was removed while this request ran. Retry.')

/** The same the other way round: it has a policy since a moment ago. */
export const policyChanged = () =>
  new Problem('service_unavailable', 'A policy was set while this request ran. Try again.')
