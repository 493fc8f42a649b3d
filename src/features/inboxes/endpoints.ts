import { deletion, reference } from '../../kernel/http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
import { addInbox, changeInbox, removeInbox, requireInbox } from './actions.ts'
import { inboxRows } from './queries.ts'
import { CreateInbox, DeletedInbox, Inbox, InboxItem, InboxParams, InboxReference, UpdateInbox } from './schema.ts'

export const inboxEndpoints = [
  endpoint({
    id: 'inboxes.create',
    route: 'POST /inboxes',
    summary: 'Create an inbox',
    status: 201,
    body: CreateInbox,
    reply: InboxReference,
    run: async ({ body, services, actor }) => reference('inbox', (await addInbox(services, actor, body)).id),
  }),
  list({
    id: 'inboxes.list',
    route: 'GET /inboxes',
    summary: 'List inboxes',
    item: InboxItem,
    unlimited: 20,
    rows: ({ actor }) => inboxRows(actor.team),
  }),
  endpoint({
    id: 'inboxes.get',
    route: 'GET /inboxes/:inbox',
    summary: 'Retrieve an inbox',
    params: InboxParams,
    reply: Inbox,
    run: async ({ params, services, actor }) => requireInbox(services.db, actor.team, params.inbox),
  }),
  endpoint({
    id: 'inboxes.update',
    route: 'PATCH /inboxes/:inbox',
    summary: 'Update an inbox',
    params: InboxParams,
    body: UpdateInbox,
    reply: InboxReference,
    run: async ({ params, body, services, actor }) =>
      reference('inbox', await changeInbox(services, actor, params.inbox, body)),
  }),
  endpoint({
    id: 'inboxes.remove',
    route: 'DELETE /inboxes/:inbox',
    summary: 'Delete an inbox',
    description: 'Its mail stays among the received and the sent emails.',
    params: InboxParams,
    reply: DeletedInbox,
    run: async ({ params, services, actor }) => deletion('inbox', await removeInbox(services, actor, params.inbox)),
  }),
]
