import type { Context } from '../../http/endpoint.ts'
import { claimKey, findAnswer, type Once, releaseKey } from './idempotency.ts'
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
    await claimKey(context.db, once)
    try {
      return await submit(context, once, await prepare())
    } catch (error) {
      await releaseKey(context.db, once)
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
  const attachments = emails.flatMap((email) => email.attachments)
  try {
    for (const { blob, content } of attachments) await mail.contents.put(blob, content)
    const idempotency = once && { ...once, response: answer }
    const isAccepted =
      emails.length === 0 || (await mail.acceptance.accept({ emails: emails.map(withoutContent), idempotency }))
    if (isAccepted) return answer
  } catch (error) {
    await forget(attachments, mail.contents)
    throw error
  }
  // Another process was faster with the same key: its answer is the answer.
  await forget(attachments, mail.contents)
  return (await findAnswer(db, once!)) as Answer
}

function withoutContent(email: PreparedEmail) {
  return { ...email, attachments: email.attachments.map(({ content, ...stored }) => stored) }
}

async function forget(attachments: readonly { blob: string }[], contents: { remove(key: string): Promise<void> }) {
  await Promise.allSettled(attachments.map(({ blob }) => contents.remove(blob)))
}
