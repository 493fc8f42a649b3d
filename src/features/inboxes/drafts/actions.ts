import type { Static } from 'typebox'
import type { Transaction } from '../../../kernel/db/database.ts'
import type { Actor } from '../../../kernel/http/actor.ts'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { newId } from '../../../platform/ids.ts'
import { withStored } from '../../emails/actions.ts'
import { takeKey } from '../../emails/delivery/idempotency-keys.ts'
import { answerOnceHolding, type IdempotencyKey, readKey } from '../../idempotency.ts'
import type { Services } from '../../services.ts'
import type { StoredInbox } from '../actions.ts'
import { lockInbox } from '../filing/lock.ts'
import { forwardedContent, repliedContent } from '../replies/answering.ts'
import { requireOriginal, requireThreadOf } from '../replies/original.ts'
import { changedContent, type DraftContent, NOTHING } from './content.ts'
import { recordDraft } from './events.ts'
import { readFiles, replaceFiles } from './files.ts'
import {
  type DraftHead,
  type DraftPlace,
  deleteDraft,
  findDraft,
  findDraftHead,
  findReplyDraft,
  insertDraft,
  type NewDraft,
  updateDraft,
} from './queries.ts'
import type { CreateDraft, UpdateDraft } from './schema.ts'

type DraftSource = NewDraft['source']

/** What a request that writes a draft is answered. */
export interface WrittenDraft {
  readonly id: string
  readonly version: number
  /** False: the reply had a draft already, and this is it. */
  readonly isNew: boolean
}

/** Something that commits together with an act of another part. What it throws rolls back all of it. */
export type Alongside = (trx: Transaction) => Promise<void>

/** Another request has taken the idempotency key: nothing of this one is to stay. */
class KeyTaken extends Error {}

export async function createDraft(
  services: Services,
  actor: Actor,
  inbox: StoredInbox,
  request: Static<typeof CreateDraft>,
  source: DraftSource,
  key?: IdempotencyKey,
  alongside?: Alongside,
): Promise<WrittenDraft> {
  const { db, clock } = services
  const { team } = actor
  const once = await readKey(team, 'POST /inboxes/drafts', key, { ...request, inbox: inbox.id })
  return answerOnceHolding(services, once, { takesTime: request.attachments !== undefined }, async () => {
    const place = { team, inbox: inbox.id, draft: newId(clock.of(team)) }
    const { replyTo, forwardOf, content } = await beginning(services, actor, inbox, request)
    const files = await readFiles(services, place, request.attachments ?? [])
    return withStored(services, files.added, () =>
      db
        .transaction(async (trx): Promise<WrittenDraft> => {
          found(await lockInbox(trx, team, inbox.id), 'Inbox')
          await alongside?.(trx)
          const there = replyTo === null ? undefined : await findReplyDraft(trx, team, inbox.id, replyTo)
          const answer = there ? { ...there, isNew: false } : { id: place.draft, version: 1, isNew: true }
          if (once && !(await takeKey(trx, db, { ...once, response: answer }))) throw new KeyTaken()
          if (there) return answer
          const about = replyTo ?? forwardOf
          const thread = about === null ? null : await requireThreadOf(trx, place, about)
          await insertDraft(trx, { ...place, content, thread, replyTo, forwardOf, source })
          await replaceFiles(trx, place, files)
          await recordDraft(trx, 'created', place, (await findDraftHead(trx, place))!, source)
          return answer
        })
        .catch((error: unknown) => {
          if (error instanceof KeyTaken) return null
          throw error
        }),
    )
  })
}

/** What a new draft begins with: what the request says, and what the email says that it answers or forwards. */
async function beginning(
  services: Services,
  actor: Actor,
  inbox: StoredInbox,
  { thread_id, reply_to_email_id, forward_of_email_id, attachments, ...given }: Static<typeof CreateDraft>,
): Promise<{ replyTo: string | null; forwardOf: string | null; content: DraftContent }> {
  const [thread, replyTo, forwardOf] = [thread_id ?? null, reply_to_email_id ?? null, forward_of_email_id ?? null]
  if (replyTo !== null && forwardOf !== null)
    throw new Problem('validation_error', 'A draft is either a reply or a forward: use one of both fields.')
  if (replyTo !== null ? thread === null : forwardOf === null && thread !== null)
    throw new Problem('validation_error', 'Use `thread_id` and `reply_to_email_id` together, or neither of them.')
  const about = replyTo ?? forwardOf
  if (about === null) return { replyTo, forwardOf, content: changedContent(NOTHING, given) }
  const original = await requireOriginal(services, actor, { inbox: inbox.id, thread, email: about })
  const first = replyTo === null ? forwardedContent(original) : repliedContent(inbox, original)
  return { replyTo, forwardOf, content: changedContent({ ...NOTHING, ...first }, given) }
}

export async function changeDraft(
  services: Services,
  place: DraftPlace,
  { version, attachments, ...given }: Static<typeof UpdateDraft>,
  source: DraftSource,
): Promise<WrittenDraft> {
  const { db } = services
  // Before the files are stored: most who are late hear it here.
  requireVersion(found(await findDraftHead(db, place), 'Draft'), version)
  const files = attachments === undefined ? null : await readFiles(services, place, attachments)
  const written = await withStored(services, files?.added ?? [], () =>
    db.transaction(async (trx): Promise<WrittenDraft> => {
      await lockUnsent(trx, place, version)
      await updateDraft(trx, place, changedContent((await findDraft(trx, place))!, given))
      if (files) await replaceFiles(trx, place, files)
      const changed = (await findDraftHead(trx, place))!
      await recordDraft(trx, 'updated', place, changed, source)
      return { id: changed.id, version: changed.version, isNew: false }
    }),
  )
  return written!
}

export async function removeDraft({ db }: Services, place: DraftPlace, source: DraftSource) {
  await db.transaction(async (trx) => {
    const draft = await lockUnsent(trx, place)
    await deleteDraft(trx, place)
    await recordDraft(trx, 'deleted', place, draft, source)
  })
}

/** The draft, which nobody else changes or sends until the transaction ends. */
export async function lockUnsent(trx: Transaction, place: DraftPlace, version?: number): Promise<DraftHead> {
  found(await lockInbox(trx, place.team, place.inbox), 'Inbox')
  const draft = found(await findDraftHead(trx, place), 'Draft')
  requireVersion(draft, version)
  return draft
}

export function requireVersion(draft: DraftHead, version: number | undefined) {
  if (draft.email_id !== null) throw new Problem('resource_locked', 'The draft has been sent already.')
  if (version !== undefined && version !== draft.version)
    throw new Problem('resource_locked', `The draft was changed meanwhile: it has version ${draft.version} now.`)
}
