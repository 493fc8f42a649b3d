/**
 * What can be the status of an email, from the first to the last. An email has many recipients and one status: the last thing that
 * happened to any of them, unless that would be a step back. Those in one line are ends that different recipients come to, and the
 * later one counts.
 */
const ORDER = [
  // It waits for approval; one that is to leave later is scheduled from then on.
  ['queued'],
  ['scheduled'],
  ['sent'],
  ['delivery_delayed'],
  ['delivered', 'bounced', 'failed', 'suppressed', 'canceled'],
  ['opened'],
  ['clicked'],
  ['complained'],
] as const

export type LastEvent = (typeof ORDER)[number][number]

export const LAST_EVENTS: readonly LastEvent[] = ORDER.flat().sort()

const RANKS = new Map<LastEvent, number>(ORDER.flatMap((line, rank) => line.map((event) => [event, rank])))

/** Mail that ended so did not arrive: somebody who opens it is another recipient, or nobody that we have written to. */
const FAILURES: ReadonlySet<LastEvent> = new Set<LastEvent>(['bounced', 'failed', 'suppressed', 'canceled'])
const VISITS: ReadonlySet<LastEvent> = new Set<LastEvent>(['opened', 'clicked'])

/** Whether an event becomes the status of an email that has this one. */
export function replaces(status: LastEvent, event: LastEvent): boolean {
  if (VISITS.has(event) && FAILURES.has(status)) return false
  return status !== event && RANKS.get(event)! >= RANKS.get(status)!
}
