import type { Transaction } from '../../kernel/db/database.ts'
import { recordAll } from '../../kernel/outbox/record.ts'
import { markUnsubscribed } from '../broadcasts/index.ts'
import { setPreferences } from '../contacts/index.ts'
import { findPreferences } from '../contacts/reads.ts'
import { emailEventData } from '../emails/delivery/email.ts'
import type { UnsubscribeLink } from '../emails/delivery/message/unsubscribe-link.ts'
import { findEmail } from '../emails/reads.ts'
import type { UnsubscribingServices } from './services.ts'

// What a recipient can choose with the link in a mail. The contact, the broadcast that the mail was a copy of, and what the outside
// hears of it commit together.

/** Who wants a topic again wants mail again. */
export const chooseTopic = ({ db }: UnsubscribingServices, link: UnsubscribeLink, choice: Choice): Promise<void> =>
  db.transaction((trx) => applyChoice(trx, link, choice))

interface Choice {
  readonly topicId: string
  readonly subscription: 'opt_in' | 'opt_out'
}

async function applyChoice(trx: Transaction, link: UnsubscribeLink, { topicId, subscription }: Choice) {
  const values = { email: link.recipient, ...(subscription === 'opt_in' && { unsubscribed: false }) }
  await setPreferences(trx, link.team, values, [{ id: topicId, subscription }])
  if (subscription === 'opt_in') return
  await recordUnsubscribed(trx, link)
  // Another topic of the page is not what the mail was about.
  if (topicId === link.topicId) await markUnsubscribed(trx, link.team, link.emailId)
}

/** No more of what goes to many, and of the topic of the mail. Mail that is meant for this person alone still comes. */
export const unsubscribeFromAll = ({ db }: UnsubscribingServices, link: UnsubscribeLink): Promise<void> =>
  db.transaction((trx) => leaveAll(trx, link))

async function leaveAll(trx: Transaction, link: UnsubscribeLink) {
  const own = link.topicId === null ? [] : [{ id: link.topicId, subscription: 'opt_out' as const }]
  await setPreferences(trx, link.team, { email: link.recipient, unsubscribed: true }, own)
  await recordUnsubscribed(trx, link)
  await markUnsubscribed(trx, link.team, link.emailId)
}

/**
 * What the one click of a mail program does (RFC 8058): it says nothing but that it was clicked, so it is about the topic of the mail,
 * and about all that goes to many when that has none. Nothing when the topic is not there any more.
 */
export async function unsubscribeWithOneClick(trx: Transaction, link: UnsubscribeLink): Promise<void> {
  if (!(await findPreferences(trx, link))) return
  if (link.topicId === null) return leaveAll(trx, link)
  await applyChoice(trx, link, { topicId: link.topicId, subscription: 'opt_out' })
}

/** Wants mail again that goes to many; each topic keeps what was chosen for it. */
export const subscribeAgain = ({ db }: UnsubscribingServices, { team, recipient }: UnsubscribeLink): Promise<void> =>
  db.transaction((trx) => setPreferences(trx, team, { email: recipient, unsubscribed: false }, []))

async function recordUnsubscribed(trx: Transaction, link: UnsubscribeLink) {
  const email = await findEmail(trx, link.team, link.emailId)
  // It may have been deleted since.
  if (!email) return
  const data = emailEventData(email, [link.recipient])
  await recordAll(trx, [{ team: link.team, type: 'email.unsubscribed', data, about: email.id }])
}
