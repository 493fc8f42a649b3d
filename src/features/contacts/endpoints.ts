import Type from 'typebox'
import { sql } from '../../kernel/db/sql.ts'
import { hasAddress, readAddress } from '../../kernel/http/address-filter.ts'
import { found } from '../../kernel/http/problem.ts'
import { Id, reference } from '../../kernel/http/shapes.ts'
import { searchRows } from '../../kernel/search/list.ts'
import { endpoint, list } from '../definitions.ts'
import { requireSegments } from '../segments/index.ts'
import { addContact, changeContact, contactNamed, idsOfSegments, removeContact } from './actions.ts'
import { contactRows, countMembers, findContact, joinContactOf, segmentContactRows } from './queries.ts'
import {
  Contact,
  ContactFilter,
  type ContactInclude,
  ContactItem,
  ContactListItem,
  ContactParams,
  ContactReference,
  CreateContact,
  DeletedContact,
  MAX_COUNTED_CONTACTS,
  MAX_COUNTED_SEGMENTS,
  type SegmentCount,
  SegmentCounts,
  UpdateContact,
} from './schema.ts'
import { contactSearch } from './search.ts'

export const contactEndpoints = [
  endpoint({
    id: 'contacts.create',
    route: 'POST /contacts',
    summary: 'Create a contact',
    status: 201,
    body: CreateContact,
    reply: ContactReference,
    async run({ body, services, actor }) {
      // One segment is said in the words of older SDKs, and of the one for Java.
      const { segments, audience_id, segment_id, ...contact } = body
      const ids = [...idsOfSegments(segments), ...[audience_id, segment_id].flatMap((id) => (id ? [id] : []))]
      return reference('contact', await addContact(services, actor, { ...contact, segments: ids }))
    },
  }),
  list({
    id: 'contacts.list',
    route: 'GET /contacts',
    summary: 'List contacts',
    query: ContactFilter,
    item: ContactListItem,
    unlimited: 'all',
    isSearch: ({ q, email }) => Boolean(q) || readAddress(email).part !== undefined,
    async rows({ query: { segment_id: segment, email, q, include }, window, services: { db }, actor: { team } }) {
      if (segment !== undefined) await requireSegments(db, team, [segment])
      const more = (include?.split(',') ?? []) as ContactInclude[]
      const all = segment === undefined ? contactRows(team, more) : segmentContactRows(team, segment, more)
      const { whole, part } = readAddress(email)
      const isNamed = whole === undefined ? sql`true` : hasAddress(sql`c.email`, whole)
      const rows = whole === undefined ? all : { ...all, where: sql`${all.where} and ${isNamed}`, isFiltered: true }
      const besides = { with: joinContactOf(team, segment), where: isNamed }
      return searchRows(db, team, { searchable: contactSearch, q, to: part, rows, window, besides })
    },
  }),
  list({
    id: 'segments.contacts.list',
    route: 'GET /segments/:segmentId/contacts',
    summary: 'List the contacts of a segment',
    params: Type.Object({ segmentId: Id }),
    item: ContactItem,
    unlimited: 'all',
    async rows({ params: { segmentId }, services: { db }, actor: { team } }) {
      await requireSegments(db, team, [segmentId])
      return segmentContactRows(team, segmentId)
    },
  }),
  endpoint({
    id: 'segments.counts',
    route: 'GET /segments/counts',
    summary: 'Count the contacts of all segments',
    description: `Of the newest ${MAX_COUNTED_SEGMENTS} segments. Counting ends at ${MAX_COUNTED_CONTACTS} contacts: then \`is_exact\` is false.`,
    reply: SegmentCounts,
    run: async ({ services: { db }, actor: { team } }) => ({
      object: 'segment_counts' as const,
      data: await db.search<SegmentCount>(countMembers(team)),
    }),
  }),
  endpoint({
    id: 'contacts.get',
    route: 'GET /contacts/:idOrEmail',
    summary: 'Retrieve a contact',
    params: ContactParams,
    reply: Contact,
    run: async ({ params, services, actor }) =>
      found(await findContact(services.db, actor.team, contactNamed(params.idOrEmail)), 'Contact'),
  }),
  endpoint({
    id: 'contacts.update',
    route: 'PATCH /contacts/:idOrEmail',
    summary: 'Update a contact',
    params: ContactParams,
    body: UpdateContact,
    reply: ContactReference,
    run: async ({ params, body, services, actor }) =>
      reference('contact', await changeContact(services, actor, { contact: contactNamed(params.idOrEmail), body })),
  }),
  endpoint({
    id: 'contacts.remove',
    route: 'DELETE /contacts/:idOrEmail',
    summary: 'Delete a contact',
    params: ContactParams,
    reply: DeletedContact,
    async run({ params, services, actor }) {
      const id = found(await removeContact(services, actor, contactNamed(params.idOrEmail)), 'Contact')
      return { ...reference('contact', id), contact: id, deleted: true as const }
    },
  }),
]
