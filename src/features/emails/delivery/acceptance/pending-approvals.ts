import type { PolicyHolder } from '../../../../kernel/http/policy-page.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { heldUntil, requiresApproval } from '../../../policies/rules.ts'
import type { Policy } from '../../../policies/schema.ts'
import type { PendingApproval } from '../approvals/approval.ts'
import type { NewEmail, Submission } from './accept.ts'

/** What is asked of whoever knows the policies of submissions. */
interface Policies {
  policyOf(submission: Submission): HoldingPolicy | null
}

interface HoldingPolicy {
  readonly policyId: string
  readonly holder: PolicyHolder
  readonly policy: Pick<Policy, 'hold' | 'dry_run'>
}

/** Those of some emails that wait for approval, by their policies as they are at this moment. A dry run holds nothing. */
export function pendingApprovalsIn(
  policies: Policies,
  submissions: readonly Submission[],
  clock: Clock,
): ReadonlyMap<NewEmail, PendingApproval> {
  const held = new Map<NewEmail, PendingApproval>()
  for (const submission of submissions) {
    const { policyId, holder, policy } = policies.policyOf(submission) ?? {}
    if (!policyId || !holder || !policy || !requiresApproval(policy)) continue
    for (const email of submission.emails)
      held.set(email, { policyId, holder, expiresAt: heldUntil(policy, clock.of(email.team).now()) })
  }
  return held
}
