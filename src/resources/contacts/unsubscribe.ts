import { record } from '../../outbox/record.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { recordUnsubscribed } from '../tracking/actions.ts'
import { recordUpserted } from './actions.ts'
import { setTopics, upsertContact } from './queries.ts'

/** What the link in a mail stands for. */
export interface Wish {
  readonly team: string
  /** The mail that has the link. */
  readonly emailId: string
  readonly email: string
  /** What the mail was about; null when it was about nothing in particular, and only all or nothing can be wished. */
  readonly topicId: string | null
}

export interface TopicChoice {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly isSubscribed: boolean
}

export interface Preferences {
  /** The topic of the mail first, then the ones that the team shows to everybody. */
  readonly topics: readonly TopicChoice[]
  readonly isUnsubscribedFromAll: boolean
}

/** What the recipient gets, as far as it can be chosen. Null when what the link is about is not there any more. */
export async function findPreferences(db: Database, { team, email, topicId }: Wish): Promise<Preferences | null> {
  const [contact] = await db.query<{ id: string; unsubscribed: boolean }>(sql`
    select id, unsubscribed from contacts where team_id = ${team} and lower(email) = lower(${email})`)
  const topics = await db.query<TopicChoice>(sql`
    select t.id, t.name, t.description, coalesce(choice.subscription, t.default_subscription) = 'opt_in' as "isSubscribed"
    from topics t
    left join contact_topics choice
      on choice.team_id = t.team_id and choice.topic_id = t.id and choice.contact_id = ${contact?.id ?? null}
    where t.team_id = ${team} and (t.visibility = 'public' or t.id = ${topicId})
    order by t.id is distinct from ${topicId}::uuid, t.name, t.id`)
  if (topicId !== null && topics[0]?.id !== topicId) return null
  return { topics, isUnsubscribedFromAll: contact?.unsubscribed ?? false }
}

/** Who is not a contact becomes one: a wish must be written down somewhere. Who wants a topic again wants mail again. */
export function chooseTopic(
  db: Database,
  { team, email, emailId }: Wish,
  topics: readonly string[],
  subscription: 'opt_in' | 'opt_out',
) {
  return db.transaction(async (trx) => {
    const values = { email, ...(subscription === 'opt_in' && { unsubscribed: false }) }
    const contact = await upsertContact(trx, team, values, {})
    await recordUpserted(trx, team, contact)
    await setChoices(trx, { team, email, contact: contact.id }, topics, subscription)
    if (subscription === 'opt_out') await recordUnsubscribed(trx, team, emailId, email)
  })
}

/** No more of what goes to many, and of these topics. Mail that is meant for this person alone still comes. */
export function unsubscribeFromAll(db: Database, { team, email, emailId }: Wish, topics: readonly string[]) {
  return db.transaction(async (trx) => {
    const contact = await upsertContact(trx, team, { email, unsubscribed: true }, {})
    await recordUpserted(trx, team, contact)
    await setChoices(trx, { team, email, contact: contact.id }, topics, 'opt_out')
    await recordUnsubscribed(trx, team, emailId, email)
  })
}

async function setChoices(
  trx: Transaction,
  { team, email, contact }: { team: string; email: string; contact: string },
  topics: readonly string[],
  subscription: 'opt_in' | 'opt_out',
) {
  if (topics.length === 0) return
  const choices = topics.map((id) => ({ id, subscription }))
  const chosen = await setTopics(trx, team, [contact], choices)
  if (chosen > 0) await record(trx, team, 'contact.topics.updated', [{ email, topics: choices }])
}

/** Wants mail again that goes to many; each topic keeps what was chosen for it. */
export function subscribeAgain(db: Database, { team, email }: Wish) {
  return db.transaction(async (trx) => {
    await recordUpserted(trx, team, await upsertContact(trx, team, { email, unsubscribed: false }, {}))
  })
}
