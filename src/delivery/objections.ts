import type { Database } from '../platform/db/database.ts'
import type { Objections } from './deliver.ts'
import { type Claimed, findSuppressed, findUnwilling, type LoadedEmail } from './queries.ts'

/** Looks up, for a whole batch at once, who is on the suppression list and who does not want mail about the topic. */
export async function findObjections(
  db: Database,
  rows: readonly Claimed[],
  emails: ReadonlyMap<string, LoadedEmail>,
): Promise<Objections> {
  const aboutTopics = rows.flatMap(({ team, emailId, recipient }) => {
    const topicId = emails.get(emailId)?.topicId
    return topicId ? [{ team, topicId, recipient }] : []
  })
  const [suppressed, unwilling] = await Promise.all([
    findSuppressed(db, rows),
    aboutTopics.length > 0 ? findUnwilling(db, aboutTopics) : [],
  ])
  const origins = new Map(suppressed.map(({ team, recipient, origin }) => [`${team} ${recipient}`, origin]))
  const refusals = new Set(unwilling.map(({ topicId, recipient }) => `${topicId} ${recipient}`))
  return {
    against({ team, recipient }, { topicId, isDisowned }) {
      if (isDisowned) return { kind: 'failed', reason: 'The API key that scheduled the email was deleted.' }
      const origin = origins.get(`${team} ${recipient}`)
      if (origin) return { kind: 'suppressed', origin }
      if (topicId && refusals.has(`${topicId} ${recipient}`))
        return { kind: 'failed', reason: 'The recipient is not subscribed to the topic.' }
      return null
    },
  }
}
