import type { Static } from 'typebox'
import { fieldsOf } from '../../http/columns.ts'
import type { Context } from '../../http/endpoint.ts'
import { found, Problem } from '../../http/problem.ts'
import { addressMessage } from '../../http/validate.ts'
import { domainOf, parseMailbox } from '../../mail/address.ts'
import { MOST_NAMES } from '../../mail/limits.ts'
import { namesIn } from '../../mail/templates.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { enqueue } from '../../platform/jobs/queries.ts'
import { readSchedule, requireSender } from '../emails/actions.ts'
import { requireSegments } from '../segments/actions.ts'
import { requireTopics } from '../topics/actions.ts'
import { cancelCopies, sendCopies } from './jobs.ts'
import {
  type BroadcastValues,
  deleteBroadcast,
  insertBroadcast,
  lockBroadcast,
  type SoundBroadcast,
  updateBroadcast,
} from './queries.ts'
import { type CreateBroadcast, UpdateBroadcast } from './schema.ts'

export { markUnsubscribed } from './queries.ts'

const LONGEST_COPIED_NAME = 70

export async function addBroadcast(context: Context, body: Static<typeof CreateBroadcast>): Promise<string> {
  const { send = false, scheduled_at } = body
  if (scheduled_at !== undefined && !send)
    throw new Problem('validation_error', 'Invalid `scheduled_at` field. It can only be used when `send` is true.')
  const values = await requireSound(context, valuesOf(body))
  return context.db.transaction(async (trx) => {
    const id = await insertBroadcast(trx, context.team, { name: 'Untitled', ...values })
    if (send) await queue(trx, context, { id, ...values }, scheduled_at)
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
async function requireSound({ db, team }: Context, draft: Partial<BroadcastValues>): Promise<SoundBroadcast> {
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
  if (namesIn([subject, html, text, preview_text].join('\n')).length > MOST_NAMES)
    throw new Problem('validation_error', `A broadcast can use at most ${MOST_NAMES} different placeholders.`)
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
export function changeBroadcast(context: Context, id: string, body: Static<typeof UpdateBroadcast>) {
  const { db, team } = context
  const { name, ...content } = valuesOf(body)
  return db.transaction(async (trx) => {
    const { status, ...before } = found(await lockBroadcast(trx, team, id), 'Broadcast')
    const isOpen = status === 'draft' || status === 'scheduled'
    if (!isOpen && Object.keys(content).length > 0)
      throw new Problem('validation_error', 'Only the `name` of a broadcast that was sent can be changed.')
    const changes = { ...content, ...(name !== undefined && { name }) }
    if (!isOpen) return updateBroadcast(trx, team, id, changes)
    const after = await requireSound(context, { ...before, ...changes })
    const domain = status === 'scheduled' ? { domain_id: await requireDomain(context, after.from) } : {}
    return updateBroadcast(trx, team, id, { ...changes, ...domain })
  })
}

const requireDomain = (context: Context, from: string) => requireSender(context, domainOf(parseMailbox(from)!.address))

export function removeBroadcast({ db, team }: Context, id: string) {
  return db.transaction(async (trx) => {
    const { status } = found(await lockBroadcast(trx, team, id), 'Broadcast')
    if (status !== 'draft' && status !== 'scheduled')
      throw new Problem('validation_error', 'Only draft or scheduled broadcasts can be deleted')
    await deleteBroadcast(trx, team, id)
  })
}

/** Sends a draft now or at a time. A scheduled one too: its time is what is said last. */
export function sendBroadcast(context: Context, id: string, scheduledAt: string | undefined) {
  return context.db.transaction(async (trx) => {
    const { status, ...values } = found(await lockBroadcast(trx, context.team, id), 'Broadcast')
    if (status !== 'draft' && status !== 'scheduled')
      throw new Problem('validation_error', `Only draft or scheduled broadcasts can be sent; this one is ${status}.`)
    await queue(trx, context, { id, ...(await requireSound(context, values)) }, scheduledAt)
  })
}

/** The job looks at the broadcast when its time has come, so one that was canceled, deleted or moved since does no harm. */
async function queue(
  trx: Transaction,
  context: Context,
  broadcast: Pick<BroadcastValues, 'from'> & { id: string },
  when: string | undefined,
) {
  const { team, clock } = context
  const scheduledAt = when === undefined ? null : readSchedule(when, clock.now())
  const domainId = await requireDomain(context, broadcast.from)
  const status = scheduledAt ? 'scheduled' : 'queued'
  await updateBroadcast(trx, team, broadcast.id, { status, scheduled_at: scheduledAt, domain_id: domainId })
  await enqueue(trx, sendCopies, { team, broadcastId: broadcast.id }, scheduledAt ?? clock.now())
}

/** A scheduled one is a draft again. Of one that is on its way, what has not left stays. */
export function cancelBroadcast({ db, team, clock }: Context, id: string) {
  return db.transaction(async (trx) => {
    const { status } = found(await lockBroadcast(trx, team, id), 'Broadcast')
    if (status === 'scheduled') return updateBroadcast(trx, team, id, { status: 'draft', scheduled_at: null })
    if (status !== 'queued')
      throw new Problem('validation_error', 'Only queued or scheduled broadcasts can be canceled')
    await updateBroadcast(trx, team, id, { status: 'canceled' })
    return enqueue(trx, cancelCopies, { team, broadcastId: id }, clock.now())
  })
}

export function duplicateBroadcast({ db, team }: Context, id: string): Promise<string> {
  return db.transaction(async (trx) => {
    const { status, name, ...values } = found(await lockBroadcast(trx, team, id), 'Broadcast')
    const copied = [...`${name} (copy)`].slice(0, LONGEST_COPIED_NAME).join('')
    return insertBroadcast(trx, team, { ...values, name: copied })
  })
}
