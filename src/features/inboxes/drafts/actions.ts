import type { Static } from 'typebox'
import type { Transaction } from '../../../kernel/db/database.ts'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { type IdempotencyKey, KeyTaken, withIdempotencyKey } from '../../../kernel/idempotency/idempotency.ts'
import { claimKey } from '../../../kernel/idempotency/queries.ts'
import { newId } from '../../../platform/ids.ts'
import { withStored } from '../../emails/index.ts'
import { lockInbox } from '../filing/lock.ts'
import { forwardedContent, repliedContent } from '../replies/answering.ts'
import { requireOriginal, requireThreadOf } from '../replies/original.ts'
import type { Sender } from '../replies/send.ts'
import { changedContent, type DraftContent, NOTHING } from './content.ts'
import { recordDraft } from './events.ts'
import { readFiles, replaceFiles } from './files.ts'
import {
  type DraftHead,
  type DraftRef,
  deleteDraft,
  findDraft,
  findDraftHead,
  findReplyDraft,
  insertDraft,
  type NewDraft,
  updateDraft,
} from './queries.ts'
import type { CreateDraft, UpdateDraft } from './schema.ts'
import type { InboxesDraftsServices } from './services.ts'

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

export async function createDraft(
  services: InboxesDraftsServices,
  sender: Sender,
  { request, key }: { readonly request: Static<typeof CreateDraft>; readonly key?: IdempotencyKey },
): Promise<WrittenDraft> {
  const { db, clock } = services
  const { actor, inbox, source, alongside } = sender
  const { team } = actor
  const takesTime = request.attachments !== undefined
  const keyed = { team, endpoint: 'POST /inboxes/drafts', key, body: { ...request, inbox: inbox.id }, takesTime }
  return withIdempotencyKey(services, keyed, async (idempotent) => {
    const ref = { team, inbox: inbox.id, draft: newId(clock.of(team)) }
    const { replyTo, forwardOf, content } = await beginning(services, sender, request)
    const files = await readFiles(services, ref, request.attachments ?? [])
    return withStored(services, files.added, () =>
      db.transaction(async (trx): Promise<WrittenDraft> => {
        found(await lockInbox(trx, team, inbox.id), 'Inbox')
        await alongside?.(trx)
        const there = replyTo === null ? undefined : await findReplyDraft(trx, { team, inbox: inbox.id, replyTo })
        const answer = there ? { ...there, isNew: false } : { id: ref.draft, version: 1, isNew: true }
        if (idempotent && !(await claimKey(trx, db, { ...idempotent, response: answer }))) throw new KeyTaken()
        if (there) return answer
        const about = replyTo ?? forwardOf
        const thread = about === null ? null : await requireThreadOf(trx, ref, about)
        await insertDraft(trx, { ...ref, content, thread, replyTo, forwardOf, source })
        await replaceFiles(trx, ref, files)
        await recordDraft(trx, ref, { type: 'created', draft: (await findDraftHead(trx, ref))!, source })
        return answer
      }),
    )
  })
}

/** What a new draft begins with: what the request says, and what the email says that it answers or forwards. */
async function beginning(
  services: InboxesDraftsServices,
  { actor, inbox }: Sender,
  { thread_id, reply_to_email_id, forward_of_email_id, attachments, ...given }: Static<typeof CreateDraft>,
): Promise<{ replyTo: string | null; forwardOf: string | null; content: DraftContent }> {
  const [thread, replyTo, forwardOf] = [thread_id ?? null, reply_to_email_id ?? null, forward_of_email_id ?? null]
  if (replyTo !== null && forwardOf !== null)
    throw new Problem('validation_error', 'A draft is either a reply or a forward: use one of the two fields.')
  if (replyTo !== null ? thread === null : forwardOf === null && thread !== null)
    throw new Problem('validation_error', 'Use `thread_id` and `reply_to_email_id` together, or neither of them.')
  const about = replyTo ?? forwardOf
  if (about === null) return { replyTo, forwardOf, content: changedContent(NOTHING, given) }
  const original = await requireOriginal(services, actor, { inbox: inbox.id, thread, email: about })
  const first = replyTo === null ? forwardedContent(original) : repliedContent(inbox, original)
  return { replyTo, forwardOf, content: changedContent({ ...NOTHING, ...first }, given) }
}

export async function changeDraft(
  services: InboxesDraftsServices,
  ref: DraftRef,
  { request, source }: { readonly request: Static<typeof UpdateDraft>; readonly source: DraftSource },
): Promise<WrittenDraft> {
  const { db } = services
  const { version, attachments, ...given } = request
  // Before the files are stored: most who are late hear it here.
  requireChangeable(found(await findDraftHead(db, ref), 'Draft'), version)
  const files = attachments === undefined ? null : await readFiles(services, ref, attachments)
  return withStored(services, files?.added ?? [], () =>
    db.transaction(async (trx): Promise<WrittenDraft> => {
      requireChangeable(await lockUnsent(trx, ref, version), version)
      await updateDraft(trx, ref, changedContent((await findDraft(trx, ref))!, given))
      if (files) await replaceFiles(trx, ref, files)
      const changed = (await findDraftHead(trx, ref))!
      await recordDraft(trx, ref, { type: 'updated', draft: changed, source })
      return { id: changed.id, version: changed.version, isNew: false }
    }),
  )
}

export async function removeDraft({ db }: InboxesDraftsServices, ref: DraftRef, source: DraftSource) {
  await db.transaction(async (trx) => {
    const draft = await lockUnsent(trx, ref)
    requireChangeable(draft)
    await deleteDraft(trx, ref)
    await recordDraft(trx, ref, { type: 'deleted', draft, source })
  })
}

/** The draft, which nobody else changes or sends until the transaction ends. */
export async function lockUnsent(trx: Transaction, ref: DraftRef, version?: number): Promise<DraftHead> {
  found(await lockInbox(trx, ref.team, ref.inbox), 'Inbox')
  const draft = found(await findDraftHead(trx, ref), 'Draft')
  requireVersion(draft, version)
  return draft
}

function requireChangeable(draft: DraftHead, version?: number) {
  requireVersion(draft, version)
  if (draft.send_at !== null)
    throw new Problem('resource_locked', 'The draft is being sent. Undo sending before you change it.')
}

export function requireVersion(draft: DraftHead, version: number | undefined) {
  if (draft.email_id !== null) throw new Problem('resource_locked', 'The draft has already been sent.')
  if (version !== undefined && version !== draft.version)
    throw new Problem('resource_locked', `The draft has changed: its version is now ${draft.version}.`)
}
