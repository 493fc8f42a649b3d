import { IdParams } from '../../http/shapes.ts'
import { sql } from '../../platform/db/sql.ts'
import { endpoint, list } from '../definitions.ts'
import { notYet } from '../not-yet.ts'
import {
  DeletedMessage,
  DeletedMessages,
  Message,
  MessageFilter,
  MessageItem,
  MessageReference,
  ReleasedMessage,
  ReleaseMessage,
  UpdateMessage,
  Waited,
  WaitQuery,
} from './schema.ts'

export const messageEndpoints = [
  endpoint({
    id: 'messages.wait',
    route: 'GET /messages/wait',
    summary: 'Wait for messages',
    description: 'Answers as soon as enough messages are there, or at the end of `timeout`.',
    access: 'content',
    query: WaitQuery,
    reply: Waited,
    run: async () => notYet(),
  }),
  list({
    id: 'messages.list',
    route: 'GET /messages',
    summary: 'List messages, sent and received',
    access: 'content',
    item: MessageItem,
    query: MessageFilter,
    unlimited: 20,
    rows: ({ actor }) => ({
      columns: sql`e.id`,
      from: sql`emails e`,
      where: sql`e.team_id = ${actor.team}`,
      id: sql`e.id`,
    }),
  }),
  endpoint({
    id: 'messages.get',
    route: 'GET /messages/:id',
    summary: 'Retrieve a message, with its links and codes',
    access: 'content',
    params: IdParams,
    reply: Message,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'messages.update',
    route: 'PATCH /messages/:id',
    summary: 'Mark a message as read, or label it',
    audited: false,
    params: IdParams,
    body: UpdateMessage,
    reply: MessageReference,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'messages.remove',
    route: 'DELETE /messages/:id',
    summary: 'Delete a message',
    description: 'In inbox mode and in sandboxes.',
    params: IdParams,
    reply: DeletedMessage,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'messages.remove-all',
    route: 'DELETE /messages',
    summary: 'Delete messages',
    description: 'All of them, or those that fit. In inbox mode and in sandboxes.',
    query: MessageFilter,
    reply: DeletedMessages,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'messages.release',
    route: 'POST /messages/:id/release',
    summary: 'Send a kept message for real',
    description:
      'In inbox mode with `POSTWREN_RELAY_URL`: one message, on purpose, through the relay. Not from a sandbox.',
    params: IdParams,
    body: ReleaseMessage,
    reply: ReleasedMessage,
    run: async () => notYet(),
  }),
]
