import type { Static } from 'typebox'
import type { Transaction } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { fieldsOf } from '../../kernel/http/columns.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { addressMessage } from '../../kernel/http/validate.ts'
import { cancel, enqueue } from '../../kernel/jobs/queries.ts'
import { domainOf, parseMailbox } from '../../mail/address.ts'
import { MAX_NAMES } from '../../mail/limits.ts'
import { namesIn } from '../../mail/templates.ts'
import { takeUpMail } from '../emails/delivery/jobs.ts'
import { readSchedule, requireSender } from '../emails/index.ts'
import { TEAM_STATES_CHANNEL } from '../limits/team-states.ts'
import { requireWithinLimit } from '../limits.ts'
import { requireSegments } from '../segments/index.ts'
import { requireTopics } from '../topics/index.ts'
import { cancelBroadcastJob, sendBroadcastJob } from './jobs.ts'
import {
  type BroadcastValues,
  deleteBroadcast,
  insertBroadcast,
  lockBroadcast,
  type SoundBroadcast,
  updateBroadcast,
} from './queries.ts'
import { type CreateBroadcast, UpdateBroadcast } from './schema.ts'
import type { BroadcastsServices } from './services.ts'

const MAX_COPIED_NAME_LENGTH = 70

export async function addBroadcast(
  services: BroadcastsServices,
  actor: Actor,
  body: Static<typeof CreateBroadcast>,
): Promise<string> {
  const { send = false, scheduled_at } = body
  if (scheduled_at !== undefined && !send)
    throw new Problem('validation_error', 'Invalid `scheduled_at` field. It can only be used when `send` is true.')
  const values = await requireSound(services, actor, valuesOf(body))
  return services.db.transaction(async (trx) => {
    const id = await insertBroadcast(trx, actor.team, { name: 'Untitled', ...values })
    if (send) await queue(trx, services, { actor, id, from: values.from, when: scheduled_at })
    return id
  })
}

/** The fields of a body as they are kept: `audience_id` is another word for `segment_id`, and addresses are a list. */
function valuesOf(body: Static<typeof UpdateBroadcast>): Partial<BroadcastValues> {
  const { segment_id, audience_id, reply_to, ...rest } = fieldsOf(UpdateBroadcast, body)
  const segment = segment_id ?? audience_id
  return {
    ...rest,
    ...(segment !== undefined && { segment_id: segment }),
    ...(reply_to !== undefined && { reply_to: typeof reply_to === 'string' ? [reply_to] : reply_to }),
  }
}

/** Refuses what could not be sent as it is, with the reason. */
async function requireSound(
  { db }: BroadcastsServices,
  { team }: Actor,
  draft: Partial<BroadcastValues>,
): Promise<SoundBroadcast> {
  const { segment_id, from, subject, html, text, preview_text, reply_to, topic_id } = draft
  if (segment_id === undefined) throw missing('segment_id')
  if ([html, text].every((part) => part === null || part === undefined))
    throw new Problem('validation_error', 'Missing `html` or `text` field.')
  if (subject === undefined) throw missing('subject')
  if (from === undefined) throw missing('from')
  requireMailboxes('from', [from])
  requireMailboxes('reply_to', reply_to ?? [])
  if (/[\r\n]/.test(subject))
    throw new Problem('validation_error', 'Invalid `subject` field. It must be a single line.')
  if (namesIn([subject, html, text, preview_text].join('\n')).length > MAX_NAMES)
    throw new Problem('validation_error', `A broadcast can use at most ${MAX_NAMES} different placeholders.`)
  await requireSegments(db, team, [segment_id])
  if (topic_id) await requireTopics(db, team, [topic_id])
  return { ...draft, segment_id, from, subject }
}

const missing = (field: string) => new Problem('missing_required_field', `Missing \`${field}\` field.`)

function requireMailboxes(field: string, texts: readonly string[]) {
  if (!texts.every((text) => parseMailbox(text)))
    throw new Problem('validation_error', addressMessage(field, 'mailbox'))
}

/** A draft and a scheduled one may change as they like; what is on its way, or has been, only its name. */
export const changeBroadcast = (
  services: BroadcastsServices,
  actor: Actor,
  id: string,
  body: Static<typeof UpdateBroadcast>,
) => services.db.transaction((trx) => changeBroadcastWithin(trx, services, { actor, id, body }))

/** The same within a transaction of the caller. */
export async function changeBroadcastWithin(
  trx: Transaction,
  services: BroadcastsServices,
  { actor, id, body }: { readonly actor: Actor; readonly id: string; readonly body: Static<typeof UpdateBroadcast> },
) {
  const { team } = actor
  const { name, ...content } = valuesOf(body)
  const { status, isPaused, ...before } = found(await lockBroadcast(trx, team, id), 'Broadcast')
  const isOpen = status === 'draft' || status === 'scheduled'
  if (!isOpen && Object.keys(content).length > 0)
    throw new Problem('validation_error', 'Only the `name` of a broadcast that was sent can be changed.')
  const changes = { ...content, ...(name !== undefined && { name }) }
  if (!isOpen) return updateBroadcast(trx, team, id, changes)
  const after = await requireSound(services, actor, { ...before, ...changes })
  const domain = status === 'scheduled' ? { domain_id: await requireDomain(services, actor, after.from) } : {}
  return updateBroadcast(trx, team, id, { ...changes, ...domain })
}

const requireDomain = (services: BroadcastsServices, actor: Actor, from: string) =>
  requireSender(services, actor, domainOf(parseMailbox(from)!.address))

export function removeBroadcast({ db }: BroadcastsServices, { team }: Actor, id: string) {
  return db.transaction(async (trx) => {
    const { status } = found(await lockBroadcast(trx, team, id), 'Broadcast')
    if (status !== 'draft' && status !== 'scheduled')
      throw new Problem('validation_error', 'Only draft or scheduled broadcasts can be deleted')
    await cancel(trx, sendBroadcastJob, id)
    await deleteBroadcast(trx, team, id)
  })
}

/** Sends a draft now or at a time, where an empty one is none: the SDK for Go says it so. A scheduled one too: its time is what is said last. */
export function sendBroadcast(services: BroadcastsServices, actor: Actor, id: string, scheduledAt: string | undefined) {
  return services.db.transaction(async (trx) => {
    const { status, isPaused, ...values } = found(await lockBroadcast(trx, actor.team, id), 'Broadcast')
    if (status !== 'draft' && status !== 'scheduled')
      throw new Problem('validation_error', `Only draft or scheduled broadcasts can be sent; this one is ${status}.`)
    const { from } = await requireSound(services, actor, values)
    await queue(trx, services, { actor, id, from, when: scheduledAt || undefined })
  })
}

interface Queueing extends Pick<BroadcastValues, 'from'> {
  readonly actor: Actor
  readonly id: string
  readonly when: string | undefined
}

/** Whatever was planned before gives way. A job that has begun meanwhile looks at the broadcast, and does nothing before its time. */
async function queue(trx: Transaction, services: BroadcastsServices, { actor, id, from, when }: Queueing) {
  const { team } = actor
  const clock = services.clock.of(team)
  const scheduledAt = when === undefined ? null : readSchedule(when, clock.now())
  await requireWithinLimit(services, trx, team, 'contacts')
  const domainId = await requireDomain(services, actor, from)
  const status = scheduledAt ? 'scheduled' : 'queued'
  await updateBroadcast(trx, team, id, { status, scheduled_at: scheduledAt, domain_id: domainId })
  await enqueue(
    trx,
    sendBroadcastJob,
    { team, broadcastId: id },
    { ...(scheduledAt && { runAt: clock.toReal(scheduledAt) }), key: id },
  )
}

/** A scheduled one is a draft again. Of one that is on its way, what has not left stays. */
export function cancelBroadcast({ db }: BroadcastsServices, { team }: Actor, id: string) {
  return db.transaction(async (trx) => {
    const { status } = found(await lockBroadcast(trx, team, id), 'Broadcast')
    if (status === 'scheduled') {
      await cancel(trx, sendBroadcastJob, id)
      return updateBroadcast(trx, team, id, { status: 'draft', scheduled_at: null })
    }
    if (status !== 'queued')
      throw new Problem('validation_error', 'Only queued or scheduled broadcasts can be canceled')
    await updateBroadcast(trx, team, id, { status: 'canceled', ...NOT_PAUSED })
    trx.announce(TEAM_STATES_CHANNEL)
    return enqueue(trx, cancelBroadcastJob, { team, broadcastId: id }, { key: id })
  })
}

const NOT_PAUSED = { paused_at: null, pause: null }

/** Sends the rest of a broadcast that has stopped itself. Whoever resumes it has seen why, so it does not stop again. */
export function resumeBroadcast({ db }: BroadcastsServices, { team }: Actor, id: string) {
  return db.transaction(async (trx) => {
    const { isPaused } = found(await lockBroadcast(trx, team, id), 'Broadcast')
    if (!isPaused) throw new Problem('validation_error', 'Only paused broadcasts can be resumed')
    await updateBroadcast(trx, team, id, { ...NOT_PAUSED, is_guarded: false })
    await enqueue(trx, sendBroadcastJob, { team, broadcastId: id }, { key: id })
    await enqueue(trx, takeUpMail, {}, { key: id })
    trx.announce(TEAM_STATES_CHANNEL)
  })
}

export function duplicateBroadcast({ db }: BroadcastsServices, { team }: Actor, id: string): Promise<string> {
  return db.transaction(async (trx) => {
    const { status, isPaused, name, ...values } = found(await lockBroadcast(trx, team, id), 'Broadcast')
    const copied = [...`${name} (copy)`].slice(0, MAX_COPIED_NAME_LENGTH).join('')
    return insertBroadcast(trx, team, { ...values, name: copied })
  })
}
