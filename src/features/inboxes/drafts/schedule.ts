import type { Static } from 'typebox'
import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { type Actor, EVERYTHING, keyOf } from '../../../kernel/http/actor.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { minutes } from '../../../kernel/jobs/job.ts'
import { cancel, enqueue } from '../../../kernel/jobs/queries.ts'
import { job } from '../../definitions.ts'
import { isGuarded } from '../../policies/queries.ts'
import { lockInbox } from '../filing/lock.ts'
import { findInbox } from '../queries.ts'
import type { Sender } from '../replies/send.ts'
import { lockUnsent } from './actions.ts'
import { recordDraft } from './events.ts'
import { type DraftHead, type DraftRef, findDraftHead, setSendAt } from './queries.ts'
import { type ScheduleDraft, UNDO_SECONDS } from './schema.ts'
import { NotScheduled, prepareDraft, sendDraft } from './send.ts'
import type { InboxesDraftsServices } from './services.ts'

// Undo send: a draft is scheduled a few seconds ahead. The row and its job commit together, so it is sent even if the browser or a process
// ends meanwhile; until then it stays the draft that it was.

interface ScheduledSending extends DraftRef {
  readonly version: number
  readonly headers: Record<string, string> | null
  readonly source: 'api' | 'dashboard'
  /** The API key that sends; null: a member. */
  readonly key: string | null
  /** The policy that it is sent under. Absent in jobs of earlier versions. */
  readonly policy?: string | null
  /** The key or the app (its grant), whose policy it would be. */
  readonly holder?: string | null
  /** Distinguishes this scheduling from a later one of the same draft. */
  readonly sendAt: string
}

/** Schedules a draft a few seconds ahead. A draft that cannot be sent is refused now; one that is scheduled already stays so. */
export async function scheduleDraft(
  services: InboxesDraftsServices,
  { actor, inbox, source }: Sender & { readonly source: 'api' | 'dashboard' },
  { draft, request }: { readonly draft: string; readonly request: Static<typeof ScheduleDraft> },
): Promise<DraftHead> {
  const { db, clock } = services
  const { team } = actor
  const { delay_seconds = UNDO_SECONDS, headers = null, version } = request
  const ref = { team, inbox: inbox.id, draft }
  await prepareDraft(services, { actor, inbox, source }, { ref, request: { headers, ...(version && { version }) } })
  return db.transaction(async (trx) => {
    const before = await lockUnsent(trx, ref, version)
    if (before.send_at !== null) return before
    const own = clock.of(team)
    const sendAt = new Date(own.now().getTime() + delay_seconds * 1_000)
    await setSendAt(trx, ref, { sendAt })
    const held = (await findDraftHead(trx, ref))!
    const payload = { ...ref, version: held.version, headers, source, ...boundTo(actor), sendAt: held.send_at! }
    await enqueue(trx, sendScheduledDraft, payload, { runAt: own.toReal(sendAt), key: draft })
    await recordDraft(trx, ref, { type: 'updated', draft: held, source })
    return held
  })
}

/** Undoes scheduling, and returns the draft unchanged if it is not scheduled. */
export function unscheduleDraft(
  { db }: InboxesDraftsServices,
  ref: DraftRef,
  source: Sender['source'],
): Promise<DraftHead> {
  return db.transaction(async (trx) => {
    const scheduled = await lockUnsent(trx, ref)
    if (scheduled.send_at === null) return scheduled
    await setSendAt(trx, ref, { sendAt: null })
    // A job that runs already finds that the draft is no longer scheduled.
    await cancel(trx, sendScheduledDraft, ref.draft)
    const draft = (await findDraftHead(trx, ref))!
    await recordDraft(trx, ref, { type: 'updated', draft, source })
    return draft
  })
}

/** Sends a draft that is due. Idempotent: the draft says whether it is scheduled, and that commits with the email. */
export const sendScheduledDraft = job<ScheduledSending>({
  name: 'inboxes.drafts.send',
  isHoldable: true,
  retryAfterSeconds: [1, 5, 30, minutes(2), minutes(10)],
  async run(payload, services) {
    const { team, inbox: id, draft, version, headers, source, sendAt } = payload
    const inbox = await findInbox(services.db, team, { id })
    if (!inbox) return
    const sender: Sender = { actor: await actorOf(services.db, payload), inbox, source }
    try {
      await sendDraft(services, sender, { draft, request: { version, headers }, sendAt })
    } catch (error) {
      if (error instanceof NotScheduled) return
      if (!(error instanceof Problem) || error.status >= 500) throw error
      services.log.warn({ team, inbox: id, draft, reason: error.message }, 'inboxes: a scheduled draft was not sent')
      await services.db.transaction((trx) => returnDraft(trx, payload, error.message))
    }
  },
  giveUp: (payload, trx) => returnDraft(trx, payload, 'Sending failed repeatedly.'),
})

const boundTo = (actor: Actor) => ({
  key: keyOf(actor),
  policy: actor.policyId ?? null,
  holder: actor.identity.kind === 'token' ? actor.identity.id : keyOf(actor),
})

/** A policy that the key or the app has got meanwhile counts as well. One that is gone lets nothing pass that was scheduled under it. */
const actorOf = async (
  db: Queryable,
  { team, key, policy = null, holder = key }: ScheduledSending,
): Promise<Actor> => ({
  team,
  identity: key === null ? { kind: 'automation' } : { kind: 'key', id: key },
  permissions: EVERYTHING,
  domainId: null,
  policyId: policy ?? (holder !== null && (await isGuarded(db, { team, policyId: holder })) ? holder : null),
})

/** Unschedules the draft and stores the reason. */
async function returnDraft(trx: Transaction, { sendAt, source, ...ref }: ScheduledSending, error: string) {
  if (!(await lockInbox(trx, ref.team, ref.inbox))) return
  const draft = await findDraftHead(trx, ref)
  if (draft?.send_at !== sendAt || draft.email_id !== null) return
  await setSendAt(trx, ref, { sendAt: null, error })
  await recordDraft(trx, ref, { type: 'updated', draft: (await findDraftHead(trx, ref))!, source })
}
