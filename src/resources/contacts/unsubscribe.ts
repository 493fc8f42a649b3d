import { record } from '../../outbox/record.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { recordUnsubscribed } from '../emails/tracking/actions.ts'
import { recordContact } from './actions.ts'
import { setTopics, upsertContact } from './queries.ts'

/** What the link in a mail stands for. */
export interface Wish {
  readonly team: string
  readonly email: string
  readonly topicId: string
  /** The mail that the link was in. */
  readonly emailId: string
}

/** The topic's name, and whether the recipient still gets mail about it. */
export async function findSubscription(db: Database, { team, email, topicId }: Wish) {
  const [row] = await db.query<{ topic: string; isSubscribed: boolean; isUnsubscribedFromAll: boolean }>(sql`
    select t.name as topic, coalesce(choice.subscription, t.default_subscription) = 'opt_in' as "isSubscribed",
      coalesce(c.unsubscribed, false) as "isUnsubscribedFromAll"
    from topics t
    left join contacts c on c.team_id = t.team_id and lower(c.email) = lower(${email})
    left join contact_topics choice on choice.team_id = t.team_id and choice.contact_id = c.id and choice.topic_id = t.id
    where t.team_id = ${team} and t.id = ${topicId}`)
  return row
}

/** No more mail about the topic. Who is not a contact becomes one: a wish must be written down somewhere. */
export function chooseTopic(db: Database, wish: Wish, subscription: 'opt_in' | 'opt_out') {
  return db.transaction(async (trx) => {
    const { id, isNew } = await upsertContact(trx, wish.team, { email: wish.email }, {})
    if (isNew) await recordContact(trx, wish.team, 'contact.created', id)
    await setChoice(trx, wish, id, subscription)
    if (subscription === 'opt_out') await recordUnsubscribed(trx, wish.team, wish.emailId, wish.email)
  })
}

/** No more of what goes to many, and of this topic. Mail that is meant for this person alone still comes. */
export function unsubscribeFromAll(db: Database, wish: Wish) {
  return db.transaction(async (trx) => {
    const { id, isNew } = await upsertContact(trx, wish.team, { email: wish.email, unsubscribed: true }, {})
    await recordContact(trx, wish.team, isNew ? 'contact.created' : 'contact.updated', id)
    await setChoice(trx, wish, id, 'opt_out')
    await recordUnsubscribed(trx, wish.team, wish.emailId, wish.email)
  })
}

async function setChoice(trx: Transaction, wish: Wish, contact: string, subscription: 'opt_in' | 'opt_out') {
  const choice = { id: wish.topicId, subscription }
  await setTopics(trx, wish.team, [contact], [choice])
  await record(trx, wish.team, 'contact.topics.updated', [{ email: wish.email, topics: [choice] }])
}
