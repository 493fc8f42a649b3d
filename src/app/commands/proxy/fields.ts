/** What is known about fields of the contract by their names. */

/** Made by each side for itself, or by the world: nothing to compare. */
const UNCOMPARED = new Set([
  'records',
  'record',
  'last_used_at',
  'message_id',
  'dmarc',
  'dkim_signature',
  // The outcome of what runs in the background: a matter of moments.
  'counts',
  'sent_at',
  'completed_at',
])

/** Made by each side for itself: that it is there is compared, and never shown. */
const OPAQUE = new Set(['token', 'api_key', 'signing_secret', 'secret', 'url', 'download_url', 'expires_at', 'raw'])

/** What the outside world or time decides: none of them contradicts another. */
const PROGRESS = new Set([
  ...['queued', 'sending', 'sent', 'delivered', 'delivery_delayed', 'opened', 'clicked', 'bounced', 'complained'],
  ...['pending', 'processing', 'in_progress', 'running', 'completed', 'success'],
])

export type FieldRule = 'uncompared' | 'opaque' | 'progress' | 'scheduled' | 'value'

export function ruleOf(name: string, operation: string): FieldRule {
  if (UNCOMPARED.has(name)) return 'uncompared'
  if (OPAQUE.has(name)) return 'opaque'
  // Whether the DNS of a domain is right for the upstream says nothing about us.
  if (name === 'status' && operation.startsWith('domains.')) return 'uncompared'
  if (name === 'last_event' || name === 'status') return 'progress'
  if (name === 'scheduled_at') return 'scheduled'
  return 'value'
}

export const isSameProgress = (theirs: unknown, ours: unknown) =>
  theirs === ours || (PROGRESS.has(String(theirs)) && PROGRESS.has(String(ours)))

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value)

/** `id`, `segment_id`, `ids`, and `contact` of an answer that a contact was deleted. */
export const isIdField = (name: string) => /(?:^|_)ids?$/.test(name) || name === 'contact'

/** What people put into these is theirs: an id in it is a text like any other. */
export const isFreeField = (name: string) =>
  ['variables', 'headers', 'tags', 'properties', 'payload', 'data_schema', 'html', 'text', 'subject'].includes(name)

const POSTGRES_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

export function timeFormatOf(value: unknown): 'PostgreSQL text' | 'ISO 8601' | null {
  if (typeof value !== 'string') return null
  if (POSTGRES_TIME.test(value)) return 'PostgreSQL text'
  return ISO_TIME.test(value) ? 'ISO 8601' : null
}

/** "in 1 min" was read by our side a moment later. */
const SCHEDULE_TOLERANCE_MS = 5 * 60_000

export const isSameSchedule = (theirs: string, ours: string) =>
  Math.abs(Date.parse(theirs) - Date.parse(ours)) <= SCHEDULE_TOLERANCE_MS

/** Numbers of what happened, or of what only one side has seen: the shape of the answer is compared, not its values. */
export const isShapeOnly = (operation: string) =>
  /^(?:emails\.metrics|usage\.|logs\.|webhooks\.events\.|broadcasts\.(?:recipients|clicked-links|audience)|segments\.counts|automations\.(?:runs|numbers)|automationRuns\.|contacts\.(?:imports|activity))/.test(
    operation,
  )
