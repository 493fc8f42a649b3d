import type { Database } from '../../../../kernel/db/database.ts'
import { findUnsubscribed, findUnwilling } from '../../../contacts/reads.ts'
import type { Objections } from '../deliver.ts'
import type { LoadedEmail } from '../ledger/load.ts'
import type { Claimed, Suppressed } from '../ledger/queries.ts'
import { isTooLarge, TOO_LARGE } from '../message/weight.ts'

/**
 * Where a canceled broadcast is concerned nothing is decided here: its emails are taken out of the ledger soon. Those of a paused one are set aside
 * when they are claimed the next time: by then every process knows of it.
 */
const STOPPED_SECONDS = 60

/** A policy is asked by a job, which is a moment, and once more ten seconds later. */
const UNJUDGED_SECONDS = 5

/** Looks up, for a whole batch at once, who does not want such mail, beside those who are on the suppression list. */
export async function findObjections(
  db: Database,
  rows: readonly Claimed[],
  { emails, suppressed }: { emails: ReadonlyMap<string, LoadedEmail>; suppressed: readonly Suppressed[] },
): Promise<Objections> {
  const aboutTopics = rows.flatMap(({ team, emailId, recipient }) => {
    const topicId = emails.get(emailId)?.topicId
    return topicId ? [{ team, topicId, recipient }] : []
  })
  const ofBroadcasts = rows.filter(({ emailId }) => emails.get(emailId)?.broadcastId)
  const [unwilling, unsubscribed] = await Promise.all([
    aboutTopics.length > 0 ? findUnwilling(db, aboutTopics) : [],
    ofBroadcasts.length > 0 ? findUnsubscribed(db, ofBroadcasts) : [],
  ])
  const origins = new Map(suppressed.map(({ team, recipient, origin }) => [`${team} ${recipient}`, origin]))
  const refusals = new Set(unwilling.map(({ topicId, recipient }) => `${topicId} ${recipient}`))
  const gone = new Set(unsubscribed.map(({ team, recipient }) => `${team} ${recipient}`))
  return {
    against({ team, recipient }, email) {
      const { topicId, isDisowned, isUnjudged, broadcast } = email
      if (isUnjudged) return { kind: 'postponed', seconds: UNJUDGED_SECONDS }
      if (broadcast?.isCanceled || broadcast?.isPaused) return { kind: 'postponed', seconds: STOPPED_SECONDS }
      if (isDisowned) return { kind: 'failed', reason: 'The API key that scheduled the email was deleted.' }
      const origin = origins.get(`${team} ${recipient}`)
      if (origin) return { kind: 'suppressed', origin }
      if (broadcast && gone.has(`${team} ${recipient}`))
        return { kind: 'failed', reason: 'The recipient has unsubscribed.' }
      if (topicId && refusals.has(`${topicId} ${recipient}`))
        return { kind: 'failed', reason: 'The recipient is not subscribed to the topic.' }
      return isTooLarge(email) ? { kind: 'failed', reason: TOO_LARGE } : null
    },
  }
}
