import { found } from '../../kernel/http/problem.ts'
import { deletion, present, reference } from '../../kernel/http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
import { addEvent, changeEvent, removeEvent, sendEvent } from './actions.ts'
import { eventRows, findEvent } from './queries.ts'
import {
  CreateEvent,
  DeletedEvent,
  Event,
  EventItem,
  EventParams,
  EventReference,
  SendEvent,
  SentEvent,
  UpdateEvent,
} from './schema.ts'

export const eventEndpoints = [
  endpoint({
    id: 'events.create',
    route: 'POST /events',
    summary: 'Create an event',
    description: 'Defines the types of the fields of its payload. An event can be sent without a definition.',
    status: 201,
    body: CreateEvent,
    reply: EventReference,
    run: async ({ body, services, actor }) => reference('event', await addEvent(services, actor, body)),
  }),
  list({
    id: 'events.list',
    route: 'GET /events',
    summary: 'List events',
    item: EventItem,
    unlimited: 20,
    rows: ({ actor }) => eventRows(actor.team),
  }),
  endpoint({
    id: 'events.send',
    audited: false,
    route: 'POST /events/send',
    summary: 'Send an event',
    description:
      'Starts and resumes automations for a contact. The payload is validated against the definition of the event.',
    status: 202,
    headers: ['idempotency-key'],
    body: SendEvent,
    reply: SentEvent,
    run: ({ body, headers, services, actor }) =>
      sendEvent(services, actor, { request: body, key: headers['idempotency-key'] }),
  }),
  endpoint({
    id: 'events.get',
    route: 'GET /events/:idOrName',
    summary: 'Retrieve an event',
    params: EventParams,
    reply: Event,
    run: async ({ params, services: { db }, actor: { team } }) =>
      present('event', found(await findEvent(db, team, params.idOrName), 'Event')),
  }),
  endpoint({
    id: 'events.update',
    route: 'PATCH /events/:idOrName',
    summary: 'Update an event',
    params: EventParams,
    body: UpdateEvent,
    reply: EventReference,
    run: async ({ params, body, services, actor }) =>
      reference('event', await changeEvent(services, actor, params.idOrName, body)),
  }),
  endpoint({
    id: 'events.remove',
    route: 'DELETE /events/:idOrName',
    summary: 'Delete an event',
    params: EventParams,
    reply: DeletedEvent,
    run: async ({ params, services, actor }) => deletion('event', await removeEvent(services, actor, params.idOrName)),
  }),
]
