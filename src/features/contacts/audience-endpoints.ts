import Type from 'typebox'
import { found } from '../../kernel/http/problem.ts'
import { Id, reference } from '../../kernel/http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
import { requireSegments } from '../segments/index.ts'
import { addContact, changeContact, contactInAudience, idsOfSegments, removeContact } from './actions.ts'
import { findContact, segmentContactRows } from './queries.ts'
import { Contact, ContactItem, ContactReference, CreateContact, DeletedContact, UpdateContact } from './schema.ts'

// The older API, where a contact lived in one audience. An audience is a segment, so these are endpoints of the same contacts.

const AudienceParams = Type.Object({ audienceId: Id })
const AudienceContactParams = Type.Object({ audienceId: Id, idOrEmail: Type.String() })

export const audienceContactEndpoints = [
  endpoint({
    id: 'audiences.contacts.create',
    route: 'POST /audiences/:audienceId/contacts',
    summary: 'Create a contact in an audience',
    deprecated: true,
    status: 201,
    params: AudienceParams,
    body: CreateContact,
    reply: ContactReference,
    async run({ params, body, services, actor }) {
      const { segments, ...contact } = body
      const ids = [params.audienceId, ...idsOfSegments(segments)]
      return reference('contact', await addContact(services, actor, { ...contact, segments: ids, word: 'audience' }))
    },
  }),
  list({
    id: 'audiences.contacts.list',
    route: 'GET /audiences/:audienceId/contacts',
    summary: 'List the contacts of an audience',
    deprecated: true,
    params: AudienceParams,
    item: ContactItem,
    unlimited: 'all',
    async rows({ params: { audienceId }, services: { db }, actor: { team } }) {
      await requireSegments(db, team, [audienceId], 'audience')
      return segmentContactRows(team, audienceId)
    },
  }),
  endpoint({
    id: 'audiences.contacts.get',
    route: 'GET /audiences/:audienceId/contacts/:idOrEmail',
    summary: 'Retrieve a contact of an audience',
    deprecated: true,
    params: AudienceContactParams,
    reply: Contact,
    async run({ params: { audienceId, idOrEmail }, services, actor }) {
      const contact = await findContact(services.db, actor.team, contactInAudience(idOrEmail, audienceId))
      return found(contact, 'Contact')
    },
  }),
  endpoint({
    id: 'audiences.contacts.update',
    route: 'PATCH /audiences/:audienceId/contacts/:idOrEmail',
    summary: 'Update a contact of an audience',
    deprecated: true,
    params: AudienceContactParams,
    body: UpdateContact,
    reply: ContactReference,
    run: async ({ params: { audienceId, idOrEmail }, body, services, actor }) =>
      reference(
        'contact',
        await changeContact(services, actor, { contact: contactInAudience(idOrEmail, audienceId), body }),
      ),
  }),
  endpoint({
    id: 'audiences.contacts.remove',
    route: 'DELETE /audiences/:audienceId/contacts/:idOrEmail',
    summary: 'Delete a contact of an audience',
    deprecated: true,
    params: AudienceContactParams,
    reply: DeletedContact,
    async run({ params: { audienceId, idOrEmail }, services, actor }) {
      // Echoes what was asked for, and says so too when it was not there: that is what the older API did.
      await removeContact(services, actor, contactInAudience(idOrEmail, audienceId))
      return { ...reference('contact', idOrEmail), contact: idOrEmail, deleted: true as const }
    },
  }),
]
