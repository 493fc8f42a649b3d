import { recipientsOf } from '../../delivery/accept.ts'
import { holdKey, type Once, releaseKey } from '../../delivery/idempotency-keys.ts'
import { Problem } from '../../http/problem.ts'
import { OverQuota } from '../../limits/quota.ts'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { noteBlobs } from '../../platform/blobs/loose-blobs.ts'
import { isUnavailable } from '../../platform/db/errors.ts'
import { answerOnce, inProgress } from '../idempotency.ts'
import { quotaProblem } from '../limits.ts'
import type { Services } from '../services.ts'
import type { PreparedEmail } from './prepare.ts'

/** Emails with the answer that their request gets. */
export interface Prepared<Answer extends object> {
  readonly emails: readonly PreparedEmail[]
  readonly answer: Answer
}

/** Sends once. What takes its time holds the key meanwhile, so that other processes see it. */
export const sendOnce = <Answer extends object>(
  services: Services,
  once: Once | null,
  options: { takesTime: boolean },
  prepare: () => Promise<Prepared<Answer>>,
): Promise<Answer> =>
  answerOnce(services, once, async () => {
    if (!once || !options.takesTime) return submit(services, once, await prepare())
    if (!(await holdKey(services.db, once))) throw inProgress()
    try {
      return await submit(services, once, await prepare())
    } catch (error) {
      // What cannot be given back now is free again when this process, or some time, is over.
      await releaseKey(services.db, once).catch(() => {})
      throw error
    }
  })

/** Stores the contents, then makes the promise. What is not promised is not kept. Null: another request has the key. */
async function submit<Answer extends object>(
  { db, blobs, acceptance, recipientRate, usageCounts }: Services,
  once: Once | null,
  { emails, answer }: Prepared<Answer>,
): Promise<Answer | null> {
  if (emails.length === 0) return answer
  const { team } = emails[0]!
  const recipients = recipientsOf({ emails })
  const tooFast = recipientRate.take(team, recipients)
  if (tooFast) throw tooManyRecipients(tooFast)
  const stored = emails.flatMap(contentsOf)
  await noteBlobs(
    db,
    stored.map(({ blob }) => blob),
  )
  await store(stored, blobs)
  try {
    const idempotency = once && { ...once, response: answer }
    if (await acceptance.accept({ emails: emails.map(withoutContent), idempotency })) {
      usageCounts.add(team, recipients)
      return answer
    }
  } catch (error) {
    // A connection that broke may have broken after the commit: then the email is promised, and needs its contents.
    if (!isUnavailable(error)) await forget(stored, blobs)
    throw error instanceof OverQuota ? quotaProblem(error) : error
  }
  await forget(stored, blobs)
  return null
}

const tooManyRecipients = ({ limit, retryAfter }: { limit: number; retryAfter: number }) =>
  new Problem(
    'rate_limit_exceeded',
    `Too many recipients. You can only send to ${limit} ${limit === 1 ? 'recipient' : 'recipients'} per second.`,
    { 'retry-after': retryAfter },
  )

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

async function store(stored: readonly StoredContent[], blobs: BlobStore) {
  try {
    for (const { blob, content } of stored) await blobs.put(blob, content)
  } catch (error) {
    await forget(stored, blobs)
    throw error
  }
}

async function forget(stored: readonly StoredContent[], blobs: BlobStore) {
  await Promise.allSettled(stored.map(({ blob }) => blobs.remove(blob)))
}
