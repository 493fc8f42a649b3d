import type { Item } from '../../api.ts'
import { readTime } from '../../ui/time.tsx'

export type WebhookRow = Item<'webhooks.list'>
export type EventRow = Item<'webhooks.events.list'>
export type EventName = EventRow['type']

/** For so long after an event, or after a replay, somebody who looks may be waiting for the attempt, which has no event. */
const WATCHED_MS = 30_000
const POLL_INTERVAL_MS = 1_000

export const isAttemptPending = ({ status, created_at }: EventRow) =>
  status !== 'success' && status !== 'failed' && Date.now() - readTime(created_at).getTime() < WATCHED_MS

export const pollInterval = (isWaitedFor: boolean | undefined, replayedAt = 0) =>
  isWaitedFor || Date.now() - replayedAt < WATCHED_MS ? POLL_INTERVAL_MS : (false as const)
