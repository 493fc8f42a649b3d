import type { Static } from 'typebox'
import { found, Problem } from '../../kernel/http/problem.ts'
import { findRow } from '../../kernel/http/rows.ts'
import { deletion, IdParams, present, reference } from '../../kernel/http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
import { requireType } from './actions.ts'
import { contactPropertyRows, deleteContactProperty, insertContactProperty, updateContactProperty } from './queries.ts'
import {
  ContactProperty,
  ContactPropertyItem,
  ContactPropertyReference,
  CreateContactProperty,
  DeletedContactProperty,
  UpdateContactProperty,
} from './schema.ts'

type Item = Static<typeof ContactPropertyItem>

export const contactPropertyEndpoints = [
  endpoint({
    id: 'contact-properties.create',
    route: 'POST /contact-properties',
    summary: 'Create a contact property',
    status: 201,
    body: CreateContactProperty,
    reply: ContactPropertyReference,
    async run({ body, services, actor }) {
      if (body.fallback_value !== undefined && body.fallback_value !== null)
        requireType('fallback_value', body.type, body.fallback_value)
      const id = await insertContactProperty(services.db, actor.team, body)
      if (!id) throw new Problem('validation_error', `A contact property with the key \`${body.key}\` already exists.`)
      return reference('contact_property', id)
    },
  }),
  list({
    id: 'contact-properties.list',
    route: 'GET /contact-properties',
    summary: 'List contact properties',
    item: ContactPropertyItem,
    unlimited: 20,
    rows: ({ actor }) => contactPropertyRows(actor.team),
  }),
  endpoint({
    id: 'contact-properties.get',
    route: 'GET /contact-properties/:id',
    summary: 'Retrieve a contact property',
    params: IdParams,
    reply: ContactProperty,
    async run({ params, services, actor }) {
      const property = await findRow<Item>(services.db, contactPropertyRows(actor.team), params.id)
      return present('contact_property', found(property, 'Contact property'))
    },
  }),
  endpoint({
    id: 'contact-properties.update',
    route: 'PATCH /contact-properties/:id',
    summary: 'Update a contact property',
    params: IdParams,
    body: UpdateContactProperty,
    reply: ContactPropertyReference,
    async run({ params, body, services, actor }) {
      const property = await findRow<Item>(services.db, contactPropertyRows(actor.team), params.id)
      const { type } = found(property, 'Contact property')
      if (body.fallback_value !== undefined && body.fallback_value !== null)
        requireType('fallback_value', type, body.fallback_value)
      await updateContactProperty(services.db, actor.team, params.id, body)
      return reference('contact_property', params.id)
    },
  }),
  endpoint({
    id: 'contact-properties.remove',
    route: 'DELETE /contact-properties/:id',
    summary: 'Delete a contact property',
    params: IdParams,
    reply: DeletedContactProperty,
    async run({ params, services, actor }) {
      found(await deleteContactProperty(services.db, actor.team, params.id), 'Contact property')
      return deletion('contact_property', params.id)
    },
  }),
]
