import type { Transaction } from '../../kernel/db/database.ts'
import { type GuardedEmail, lockAndJudge, usesOf } from './judging.ts'
import { takeBackUses, writeUses } from './queries.ts'
import type { Refusal } from './rules.ts'
import { minuteOf } from './timeline.ts'

/** Mail that has waited for approval. */
export interface FreedEmail extends GuardedEmail {
  readonly policyId: string
  /** The minute in which it was counted. Null: in none. */
  readonly countedAt: Date | null
}

/**
 * Counts mail that a person has said yes to in the minute in which it leaves, and not any more in that in which it was submitted. Gives what the limits leave no room for, which
 * goes on waiting, and why. Only limits are asked: whether this very mail may be sent, the person has said. The policies are locked, before the approvals.
 */
export async function countFreed(trx: Transaction, mail: readonly FreedEmail[]): Promise<ReadonlyMap<string, Refusal>> {
  const refused = new Map<string, Refusal>()
  if (mail.length === 0) return refused
  await takeBackUses(trx, usesOf(countedOf(mail)))
  const requests = mail.map((email) => ({ email, emails: [email] }))
  // Who has written first is of no account here.
  const judge = (await lockAndJudge(trx, requests, { keepsMail: () => true }))!
  const leaving = requests.filter((request) => {
    const isDryRun = judge.policyOf(request)?.policy.dry_run
    const objection = judge.objections(request).find(({ refusal: { rule } }) => rule.startsWith('max_'))
    if (objection && !isDryRun) refused.set(request.email.id, objection.refusal)
    else judge.take(request)
    return !refused.has(request.email.id)
  })
  await judge.recordFreed(trx, leaving)
  const kept = countedOf(mail.filter(({ id }) => refused.has(id)))
  if (kept.length > 0) await writeUses(trx, [], usesOf(kept))
  return refused
}

const countedOf = (mail: readonly FreedEmail[]) =>
  mail.flatMap(({ team, policyId, recipients, countedAt }) =>
    countedAt === null ? [] : [{ team, policyId, recipients, minute: minuteOf(countedAt) }],
  )
