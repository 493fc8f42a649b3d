import { endpoint, list } from '../definitions.ts'
import { notYet } from './not-yet.ts'
import { CreateInbox, DeletedInbox, Inbox, InboxItem, InboxParams, InboxReference, UpdateInbox } from './schema.ts'

export const inboxEndpoints = [
  endpoint({
    id: 'inboxes.create',
    route: 'POST /inboxes',
    summary: 'Create an inbox',
    status: 201,
    body: CreateInbox,
    reply: InboxReference,
    run: async () => notYet(),
  }),
  list({
    id: 'inboxes.list',
    route: 'GET /inboxes',
    summary: 'List inboxes',
    item: InboxItem,
    unlimited: 20,
    rows: () => notYet(),
  }),
  endpoint({
    id: 'inboxes.get',
    route: 'GET /inboxes/:inbox',
    summary: 'Retrieve an inbox',
    params: InboxParams,
    reply: Inbox,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'inboxes.update',
    route: 'PATCH /inboxes/:inbox',
    summary: 'Update an inbox',
    params: InboxParams,
    body: UpdateInbox,
    reply: InboxReference,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'inboxes.remove',
    route: 'DELETE /inboxes/:inbox',
    summary: 'Delete an inbox',
    description: 'Its mail stays among the received and the sent emails.',
    params: InboxParams,
    reply: DeletedInbox,
    run: async () => notYet(),
  }),
]
