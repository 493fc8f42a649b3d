import { record } from '../../outbox/record.ts'
import type { Database } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { recordContact } from './actions.ts'
import { setTopics, upsertContact } from './queries.ts'

/** What the link in a mail stands for. */
export interface Wish {
  readonly team: string
  readonly email: string
  readonly topicId: string
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
export function chooseTopic(db: Database, { team, email, topicId }: Wish, subscription: 'opt_in' | 'opt_out') {
  return db.transaction(async (trx) => {
    const { id, isNew } = await upsertContact(trx, team, { email }, {})
    if (isNew) await recordContact(trx, team, 'contact.created', id)
    await setTopics(trx, team, [id], [{ id: topicId, subscription }])
    await record(trx, team, 'contact.topics.updated', [{ email, topics: [{ id: topicId, subscription }] }])
  })
}

/** No more of what goes to many. Mail that is meant for this person alone still comes. */
export function unsubscribeFromAll(db: Database, { team, email }: Wish) {
  return db.transaction(async (trx) => {
    const { id, isNew } = await upsertContact(trx, team, { email, unsubscribed: true }, {})
    await recordContact(trx, team, isNew ? 'contact.created' : 'contact.updated', id)
  })
}
