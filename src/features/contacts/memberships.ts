import Type from 'typebox'
import { sql } from '../../kernel/db/sql.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import { found } from '../../kernel/http/problem.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { Id, nullable, oneOf, reference, Timestamp } from '../../kernel/http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
import { requireSegments } from '../segments/index.ts'
import { SegmentItem } from '../segments/schema.ts'
import { requireTopics } from '../topics/index.ts'
import { TOPICS } from '../topics/reads.ts'
import { SUBSCRIPTIONS } from '../topics/schema.ts'
import { contactNamed, joinSegment, plainChoices, recordContacts, recordTopics } from './actions.ts'
import { findContact, lockContact, removeFromSegment, setTopics } from './queries.ts'
import { ContactParams, TopicChoice } from './schema.ts'
import type { ContactsServices } from './services.ts'

// Which segments a contact is in, and what it chose for each topic.

const MembershipParams = Type.Object({ idOrEmail: Type.String(), segmentId: Id })

/** Three documents name three shapes; this is all of them in one. */
const Membership = Type.Object({
  object: Type.Literal('contact_segment'),
  id: Id,
  contact_id: Id,
  segment_id: Id,
  audienceId: Id,
})

const EndedMembership = Type.Object({ ...Membership.properties, deleted: Type.Boolean() })

const ContactTopicItem = Type.Object(
  {
    id: Id,
    name: Type.String(),
    description: nullable(Type.String()),
    subscription: oneOf(SUBSCRIPTIONS),
    // Of the topic. The contract does not ask for it; the SDK for Rust does.
    created_at: Timestamp,
  },
  { title: 'ContactTopic' },
)

const Choices = Type.Array(TopicChoice)

const ContactTopics = Type.Object({ object: Type.Literal('contact_topics'), id: Id, contact_id: Id, topics: Choices })

const membership = (contact: string, segment: string) => ({
  ...reference('contact_segment', segment),
  contact_id: contact,
  segment_id: segment,
  audienceId: segment,
})

const SEGMENT_COLUMNS = columnsOf(SegmentItem, 's')

const segmentsOf = (team: string, contact: string): Rows => ({
  columns: SEGMENT_COLUMNS,
  from: sql`contact_segments m join segments s on s.team_id = m.team_id and s.id = m.segment_id`,
  where: sql`m.team_id = ${team} and m.contact_id = ${contact}`,
  id: sql`m.segment_id`,
})

const TOPIC_COLUMNS = columnsOf(ContactTopicItem, 't', {
  subscription: sql`coalesce(choice.subscription, t.default_subscription)`,
})

/** Every topic of the team, with what counts for the contact: its own choice, or else the topic's default. */
const topicsOf = (team: string, contact: string): Rows => ({
  columns: TOPIC_COLUMNS,
  from: sql`${TOPICS} t left join contact_topics choice
    on choice.team_id = t.team_id and choice.topic_id = t.id and choice.contact_id = ${contact}`,
  where: sql`t.team_id = ${team}`,
  id: sql`t.id`,
})

async function requireContact({ db }: ContactsServices, { team }: Actor, idOrEmail: string) {
  return found(await findContact(db, team, contactNamed(idOrEmail)), 'Contact')
}

export const membershipEndpoints = [
  list({
    id: 'contacts.segments.list',
    route: 'GET /contacts/:idOrEmail/segments',
    summary: 'List the segments of a contact',
    params: ContactParams,
    item: SegmentItem,
    unlimited: 20,
    rows: async ({ params, services, actor }) =>
      segmentsOf(actor.team, (await requireContact(services, actor, params.idOrEmail)).id),
  }),
  endpoint({
    id: 'contacts.segments.add',
    route: 'POST /contacts/:idOrEmail/segments/:segmentId',
    summary: 'Add a contact to a segment',
    params: MembershipParams,
    reply: Membership,
    run: ({ params: { idOrEmail, segmentId }, services: { db }, actor: { team } }) =>
      db.transaction(async (trx) => {
        const contact = found(await lockContact(trx, team, contactNamed(idOrEmail)), 'Contact')
        await requireSegments(trx, team, [segmentId])
        await joinSegment(trx, team, segmentId, [contact])
        return membership(contact, segmentId)
      }),
  }),
  endpoint({
    id: 'contacts.segments.remove',
    route: 'DELETE /contacts/:idOrEmail/segments/:segmentId',
    summary: 'Remove a contact from a segment',
    params: MembershipParams,
    reply: EndedMembership,
    run: ({ params: { idOrEmail, segmentId }, services: { db }, actor: { team } }) =>
      db.transaction(async (trx) => {
        const contact = found(await lockContact(trx, team, contactNamed(idOrEmail)), 'Contact')
        await requireSegments(trx, team, [segmentId])
        const deleted = await removeFromSegment(trx, team, contact, segmentId)
        if (deleted) await recordContacts(trx, team, 'contact.updated', [contact])
        return { ...membership(contact, segmentId), deleted }
      }),
  }),
  list({
    id: 'contacts.topics.list',
    route: 'GET /contacts/:idOrEmail/topics',
    summary: 'List the topics of a contact',
    params: ContactParams,
    item: ContactTopicItem,
    unlimited: 20,
    rows: async ({ params, services, actor }) =>
      topicsOf(actor.team, (await requireContact(services, actor, params.idOrEmail)).id),
  }),
  endpoint({
    id: 'contacts.topics.update',
    route: 'PATCH /contacts/:idOrEmail/topics',
    summary: 'Update the topics of a contact',
    params: ContactParams,
    // The SDK sends the bare list, the documents describe an object around it.
    body: Type.Union([Choices, Type.Object({ topics: Choices })]),
    reply: ContactTopics,
    run: ({ params, body, services: { db }, actor: { team } }) =>
      db.transaction(async (trx) => {
        const topics = plainChoices(Array.isArray(body) ? body : body.topics)
        const contact = found(await findContact(trx, team, contactNamed(params.idOrEmail)), 'Contact')
        await requireTopics(
          trx,
          team,
          topics.map(({ id }) => id),
        )
        const chosen = await setTopics(trx, team, [contact.id], topics)
        if (chosen > 0) await recordTopics(trx, team, { email: contact.email, topics })
        return { ...reference('contact_topics', contact.id), contact_id: contact.id, topics }
      }),
  }),
]
