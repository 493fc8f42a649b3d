import { Problem } from '../../kernel/http/problem.ts'
import type { JudgedEmail, Refusal } from './rules.ts'
import type { RecordedRule } from './schema.ts'

/** Whose policy it is. */
export type Holder = 'api_key' | 'oauth_grant' | 'inbox_agent'

const NAMES: Record<Holder, string> = {
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

export const refusalMessage = (holder: Holder, { message }: Refusal) =>
  `Refused by the policy of ${NAMES[holder]}: ${message} Ask an owner of the team to change the policy.`

/** A policy does not allow an email: the message has the first reason. Nothing of its request was accepted. */
export class PolicyRefused extends Problem {
  /** All reasons. */
  readonly refused: readonly RefusedEmail[]

  constructor(holder: Holder, refused: readonly RefusedEmail[]) {
    super('policy_refused', refusalMessage(holder, refused[0]!.refusal))
    this.refused = refused
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
