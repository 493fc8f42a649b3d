import type { Policy } from '../../../../src/features/policies/schema.ts'
import { policyWords } from '../../../../src/features/policies/words.ts'
import './policy-summary.css'
import type { Segment } from './policy-fields.tsx'
import { texts } from './texts.ts'

interface PolicySummaryProps {
  readonly policy: Policy
  readonly segments: readonly Segment[]
}

/** What a policy allows, in the words that models are told it in. */
export function PolicySummary({ policy, segments }: PolicySummaryProps) {
  const segment = segments.find(({ value }) => value === policy.recipients?.segment_id)?.label ?? null
  return (
    <ul className="policy-summary" aria-label={texts.allows}>
      {policyWords(policy, { segment }).map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}
