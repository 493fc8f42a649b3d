import { Badge, type Tone } from '../../../ui/badge.tsx'
import { rich } from '../../../ui/rich.tsx'
import { Time } from '../../../ui/time.tsx'
import { texts } from './texts.ts'

const TONES: Readonly<Record<string, Tone>> = { away: 'bad', paused: 'bad', slowed: 'warn', flowing: 'good' }

/** How mail gets on, in a word. */
export const FlowBadge = ({ state }: { state: string }) => <Badge word={state} tone={TONES[state] ?? 'plain'} />

interface FlowReasonProps {
  readonly state: string
  readonly reason: string | null
  readonly until: string | null
}

/** Why, in a sentence. */
export const FlowReason = ({ state, reason, until }: FlowReasonProps) =>
  reason !== null && until !== null
    ? rich(state === 'away' ? texts.flow.retry : texts.flow.until, { reason, time: <Time at={until} exact /> })
    : reason
