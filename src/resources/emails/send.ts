import { holdKey, type Once, releaseKey } from '../../delivery/idempotency-keys.ts'
import type { Context } from '../../http/endpoint.ts'
import { noteBlobs } from '../../platform/blobs/loose-blobs.ts'
import { isUnavailable } from '../../platform/db/errors.ts'
import { findAnswer, inProgress } from './idempotency.ts'
import type { Contents } from './mail-room.ts'
import type { PreparedEmail } from './prepare.ts'

/** Emails with the answer that their request gets. */
export interface Prepared<Answer extends object> {
  readonly emails: readonly PreparedEmail[]
  readonly answer: Answer
}

/**
 * Sends once. With an idempotency key a request that was answered before gets the same answer again and nothing is sent; one that
 * runs at the same time is refused; a failed one leaves the key free, so that a corrected one can use it.
 */
export function sendOnce<Answer extends object>(
  context: Context,
  once: Once | null,
  options: { takesTime: boolean },
  prepare: () => Promise<Prepared<Answer>>,
): Promise<Answer> {
  return context.mail.keysInFlight.hold(once, async () => {
    const known = once && (await findAnswer(context.db, once))
    if (known) return known as Answer
    if (!once || !options.takesTime) return submit(context, once, await prepare())
    if (!(await holdKey(context.db, once))) throw inProgress()
    try {
      return await submit(context, once, await prepare())
    } catch (error) {
      // What cannot be given back now is free again when this process, or some time, is over.
      await releaseKey(context.db, once).catch(() => {})
      throw error
    }
  })
}

/** Stores the contents, then makes the promise. What is not promised is not kept. */
async function submit<Answer extends object>(
  { db, mail }: Context,
  once: Once | null,
  { emails, answer }: Prepared<Answer>,
): Promise<Answer> {
  if (emails.length === 0) return answer
  const stored = emails.flatMap(contentsOf)
  await noteBlobs(
    db,
    stored.map(({ blob }) => blob),
  )
  await store(stored, mail.contents)
  try {
    const idempotency = once && { ...once, response: answer }
    if (await mail.acceptance.accept({ emails: emails.map(withoutContent), idempotency })) return answer
  } catch (error) {
    // A connection that broke may have broken after the commit: then the email is promised, and needs its contents.
    if (!isUnavailable(error)) await forget(stored, mail.contents)
    throw error
  }
  // Another process was faster with the same key: its answer is the answer, once there is one.
  await forget(stored, mail.contents)
  const known = await findAnswer(db, once!)
  if (!known) throw inProgress()
  return known as Answer
}

interface StoredContent {
  readonly blob: string
  readonly content: Buffer
}

/** What is kept beside the database: the attachments, and the message as it was submitted when it is large. */
function contentsOf({ attachments, submitted }: PreparedEmail): readonly StoredContent[] {
  return submitted?.blob ? [...attachments, { blob: submitted.blob, content: submitted.raw }] : attachments
}

function withoutContent(email: PreparedEmail) {
  if (email.attachments.length === 0) return email
  return { ...email, attachments: email.attachments.map(({ content, ...stored }) => stored) }
}

async function store(stored: readonly StoredContent[], contents: Contents) {
  try {
    for (const { blob, content } of stored) await contents.put(blob, content)
  } catch (error) {
    await forget(stored, contents)
    throw error
  }
}

async function forget(stored: readonly StoredContent[], contents: Contents) {
  await Promise.allSettled(stored.map(({ blob }) => contents.remove(blob)))
}
