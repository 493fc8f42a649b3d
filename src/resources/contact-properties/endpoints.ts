import type { Static } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { list } from '../../http/list.ts'
import { found, Problem } from '../../http/problem.ts'
import { findRow } from '../../http/rows.ts'
import { deletion, IdParams, present, reference } from '../../http/shapes.ts'
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
    async run({ body, context }) {
      if (body.fallback_value !== undefined && body.fallback_value !== null)
        requireType('fallback_value', body.type, body.fallback_value)
      const id = await insertContactProperty(context.db, context.team, body)
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
    rows: ({ context }) => contactPropertyRows(context.team),
  }),
  endpoint({
    id: 'contact-properties.get',
    route: 'GET /contact-properties/:id',
    summary: 'Retrieve a contact property',
    params: IdParams,
    reply: ContactProperty,
    async run({ params, context }) {
      const property = await findRow<Item>(context.db, contactPropertyRows(context.team), params.id)
      return present('contact_property', found(property, 'Contact property'))
    },
  }),
  endpoint({
    id: 'contact-properties.update',
    route: 'PATCH /contact-properties/:id',
    summary: 'Change the fallback value of a contact property',
    params: IdParams,
    body: UpdateContactProperty,
    reply: ContactPropertyReference,
    async run({ params, body, context }) {
      const property = await findRow<Item>(context.db, contactPropertyRows(context.team), params.id)
      const { type } = found(property, 'Contact property')
      if (body.fallback_value !== undefined && body.fallback_value !== null)
        requireType('fallback_value', type, body.fallback_value)
      await updateContactProperty(context.db, context.team, params.id, body)
      return reference('contact_property', params.id)
    },
  }),
  endpoint({
    id: 'contact-properties.remove',
    route: 'DELETE /contact-properties/:id',
    summary: 'Delete a contact property',
    params: IdParams,
    reply: DeletedContactProperty,
    async run({ params, context }) {
      found(await deleteContactProperty(context.db, context.team, params.id), 'Contact property')
      return deletion('contact_property', params.id)
    },
  }),
]
