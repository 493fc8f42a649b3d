import { Problem } from '../../kernel/http/problem.ts'
import { answerOnceHolding } from '../idempotency.ts'
import { OverQuota } from '../limits/quota.ts'
import { quotaProblem } from '../limits.ts'
import type { Services } from '../services.ts'
import { recipientsOf, type Submission } from './delivery/accept.ts'
import type { Once } from './delivery/idempotency-keys.ts'
import type { PreparedEmail } from './prepare.ts'
import { type StoredContent, withStored } from './stored-contents.ts'

/** Emails with the answer that their request gets. */
export interface Prepared<Answer extends object> {
  readonly emails: readonly PreparedEmail[]
  readonly answer: Answer
  /** Set: accepts them together with other changes, in a transaction of its own. False: another request has the key. */
  accept?(submission: Submission): Promise<boolean>
}

/** Sends once. */
export const sendOnce = <Answer extends object>(
  services: Services,
  once: Once | null,
  options: { takesTime: boolean },
  prepare: () => Promise<Prepared<Answer>>,
): Promise<Answer> => answerOnceHolding(services, once, options, async () => submit(services, once, await prepare()))

/** Stores the contents, then makes the promise. What is not promised is not kept. Null: another request has the key. */
async function submit<Answer extends object>(
  services: Services,
  once: Once | null,
  { emails, answer, accept }: Prepared<Answer>,
): Promise<Answer | null> {
  const { acceptance, recipientRate, usageCounts } = services
  if (emails.length === 0) return answer
  const { team } = emails[0]!
  const recipients = recipientsOf({ emails })
  const tooFast = recipientRate.take(team, recipients)
  if (tooFast) throw tooManyRecipients(tooFast)
  const submission = { emails: emails.map(withoutContent), idempotency: once && { ...once, response: answer } }
  return withStored(services, emails.flatMap(contentsOf), async () => {
    const isAccepted = await (accept?.(submission) ?? acceptance.accept(submission)).catch((error: unknown) => {
      throw error instanceof OverQuota ? quotaProblem(error) : error
    })
    if (!isAccepted) return null
    usageCounts.add(team, recipients)
    return answer
  })
}

const tooManyRecipients = ({ limit, retryAfter }: { limit: number; retryAfter: number }) =>
  new Problem(
    'rate_limit_exceeded',
    `Too many recipients. You can only send to ${limit} ${limit === 1 ? 'recipient' : 'recipients'} per second.`,
    { 'retry-after': retryAfter },
  )

/** What is to be kept beside the database: the attachments, and the message as it was submitted when it is large. */
function contentsOf({ attachments, submitted }: PreparedEmail): readonly StoredContent[] {
  const files = attachments.flatMap(({ blob, content }) => (content ? [{ blob, content }] : []))
  return submitted?.blob ? [...files, { blob: submitted.blob, content: submitted.raw }] : files
}

function withoutContent(email: PreparedEmail) {
  if (email.attachments.length === 0) return email
  return { ...email, attachments: email.attachments.map(({ content, ...stored }) => stored) }
}
