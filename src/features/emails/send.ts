import { sql } from '../../kernel/db/sql.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { refuseMoving } from '../../kernel/http/suspension.ts'
import { KeyTaken } from '../../kernel/idempotency/idempotency.ts'
import { findKey, type IdempotentRequest } from '../../kernel/idempotency/queries.ts'
import { keyExists } from '../api-keys/reads.ts'
import { OverQuota } from '../limits/quota.ts'
import { quotaProblem } from '../limits.ts'
import { isGrantOpen } from '../oauth/reads.ts'
import { hasPolicy } from '../policies/reads.ts'
import { PolicyRefused, policyChanged } from '../policies/refused.ts'
import { recipientsOf, type Submission } from './delivery/acceptance/accept.ts'
import type { PreparedEmail } from './prepare.ts'
import type { SendingServices } from './services.ts'
import { type StoredContent, withStored } from './stored-contents.ts'

/** Emails that are ready, with the answer that their request gets. */
export interface ReadyEmails<Answer extends object> {
  readonly emails: readonly PreparedEmail[]
  readonly answer: Answer
  /** Set: its key is claimed, and keeps the answer, in the statement that accepts the emails. */
  readonly idempotent: IdempotentRequest | null
  /** Set: accepts them together with other changes, in a transaction of its own. False: another request has the key. */
  accept?(submission: Submission): Promise<boolean>
}

/** Stores the contents, then makes the promise. What is not promised is not kept. Throws `KeyTaken` when another request has the key. */
export async function submitEmails<Answer extends object>(
  services: SendingServices,
  { emails, answer, idempotent, accept }: ReadyEmails<Answer>,
): Promise<Answer> {
  const { acceptance, recipientRate, usageCounts } = services.sending
  if (emails.length === 0) return answer
  const { team } = emails[0]!
  const recipients = recipientsOf({ emails })
  const tooFast = recipientRate.take(team, recipients)
  if (tooFast) throw tooManyRecipients(tooFast)
  const submission = {
    emails: emails.map(withoutContent),
    idempotency: idempotent && { ...idempotent, response: answer },
  }
  const contents = emails.flatMap(contentsOf)
  const acceptThem = () => {
    refuseMoving(acceptance.states, team)
    return accept?.(submission) ?? acceptance.accept(submission)
  }
  const acceptOrThrow = async () => {
    for (const { freeSender } of emails) if (freeSender) await refuseChanged(services, { team, sender: freeSender })
    if (!(await acceptThem())) throw new KeyTaken()
  }
  try {
    if (contents.length > 0) await withStored(services, contents, acceptOrThrow)
    else if (!(await acceptThem())) throw new KeyTaken()
  } catch (error) {
    if (error instanceof OverQuota) throw quotaProblem(error)
    if (!(error instanceof PolicyRefused)) throw error
    await noteRefusal(services, error, idempotent)
    throw error.at(services.publicUrl())
  }
  usageCounts.add(team, recipients)
  return answer
}

/** By now it is another key: one with a policy, which a second try is judged by, or none. */
async function refuseChanged(
  { db }: Pick<SendingServices, 'db'>,
  { team, sender }: { readonly team: string; readonly sender: string },
) {
  const [key, grant] = [
    keyExists(sql`${team}::uuid`, sql`${sender}::uuid`),
    isGrantOpen(sql`${team}::uuid`, sql`${sender}::uuid`),
  ]
  const [row] = await db.query<{ isThere: boolean; hasPolicy: boolean }>(sql`
    select ${key} or ${grant} as "isThere", ${hasPolicy(sql`${team}::uuid`, sql`${sender}::uuid`)} as "hasPolicy"`)
  if (!row!.isThere) throw new Problem('invalid_api_key', 'API key is invalid')
  if (row!.hasPolicy) throw policyChanged()
}

/** What another process has accepted under the same key meanwhile may be what there is no room left for now: it is answered, and not refused. */
async function noteRefusal(
  { db, sending: { policyRefusals } }: SendingServices,
  { refused }: PolicyRefused,
  idempotent: IdempotentRequest | null,
) {
  if (idempotent && (await findKey(db, idempotent))?.response) throw new KeyTaken()
  await policyRefusals.note(...refused)
}

const tooManyRecipients = ({ limit, retryAfter }: { limit: number; retryAfter: number }) =>
  new Problem(
    'rate_limit_exceeded',
    `Too many recipients. You can only send to ${limit} ${limit === 1 ? 'recipient' : 'recipients'} per second.`,
    { 'retry-after': retryAfter },
  )

const NO_CONTENTS: readonly StoredContent[] = []

/** What is to be kept beside the database: the attachments, and the message as it was submitted when it is large. */
function contentsOf({ attachments, submitted }: PreparedEmail): readonly StoredContent[] {
  if (attachments.length === 0 && !submitted) return NO_CONTENTS
  const files = attachments.flatMap(({ blob, content }) => (content ? [{ blob, content }] : []))
  return submitted?.blob ? [...files, { blob: submitted.blob, content: submitted.raw }] : files
}

function withoutContent(email: PreparedEmail) {
  if (email.attachments.length === 0) return email
  return { ...email, attachments: email.attachments.map(({ content, ...stored }) => stored) }
}
