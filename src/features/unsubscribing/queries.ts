import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Email } from '../emails/delivery/email.ts'
import { EMAIL_COLUMNS } from '../emails/delivery/email-fields.ts'
import type { UnsubscribeLink } from '../emails/delivery/unsubscribe-link.ts'

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
export async function findPreferences(
  db: Queryable,
  { team, recipient, topicId }: UnsubscribeLink,
): Promise<Preferences | null> {
  const [contact] = await db.query<{ id: string; unsubscribed: boolean }>(sql`
    select id, unsubscribed from contacts where team_id = ${team} and lower(email) = lower(${recipient})`)
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

/** The mail that has the link, unless it was deleted since. */
export async function findMail(db: Queryable, { team, emailId }: UnsubscribeLink): Promise<Email | undefined> {
  const [email] = await db.query<Email>(sql`
    select ${EMAIL_COLUMNS} from emails e where e.team_id = ${team} and e.id = ${emailId}`)
  return email
}
