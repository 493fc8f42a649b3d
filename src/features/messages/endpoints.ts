import { whileThere } from '../../kernel/http/client-gone.ts'
import { FoundItems } from '../../kernel/http/list.ts'
import { found } from '../../kernel/http/problem.ts'
import { IdParams, reference } from '../../kernel/http/shapes.ts'
import { deletionAfter, endpoint, list } from '../definitions.ts'
import {
  listMessages,
  markFitting,
  markMessages,
  releaseMessage,
  removeMessage,
  removeMessages,
  requireMessage,
} from './actions.ts'
import { messageText, waitedText } from './answer.ts'
import {
  DeletedMessage,
  DeletedMessages,
  Message,
  MessageFilter,
  MessageItem,
  MessageReference,
  ReleasedMessage,
  ReleaseMessage,
  UpdatedMessages,
  UpdateMessage,
  Waited,
  WaitQuery,
} from './schema.ts'
import { waitForMessages } from './wait.ts'

export const messageEndpoints = [
  endpoint({
    id: 'messages.wait',
    route: 'GET /messages/wait',
    summary: 'Wait for messages',
    description: 'Returns as soon as enough messages have arrived, or after `timeout`.',
    access: 'content',
    query: WaitQuery,
    reply: Waited,
    run: ({ query, raw, services, actor }) =>
      whileThere(raw.stream, async (gone) => waitedText(services, await waitForMessages(services, actor, query, gone))),
  }),
  list({
    id: 'messages.list',
    route: 'GET /messages',
    summary: 'List messages, sent and received',
    description: 'Newest first. Scheduled emails are not included.',
    access: 'content',
    item: MessageItem,
    query: MessageFilter,
    unlimited: 20,
    async rows({ query, window, services, actor }) {
      // One more than is shown says that there are more.
      const part = { cursor: window.cursor, isOlder: window.direction === 'older', amount: window.limit! + 1 }
      const messages = await listMessages(services, actor, query, part)
      return new FoundItems(messages.map((message) => JSON.stringify(message)))
    },
  }),
  endpoint({
    id: 'messages.get',
    route: 'GET /messages/:id',
    summary: 'Retrieve a message, with its links and codes',
    access: 'content',
    params: IdParams,
    reply: Message,
    run: async ({ params, services, actor }) => messageText(await requireMessage(services, actor, params.id)),
  }),
  endpoint({
    id: 'messages.update',
    route: 'PATCH /messages/:id',
    summary: 'Mark a message as read, or label it',
    audited: false,
    params: IdParams,
    body: UpdateMessage,
    reply: MessageReference,
    async run({ params, body, services, actor }) {
      const [id] = await markMessages(services, actor, [params.id], body)
      return reference('message', found(id, 'Message'))
    },
  }),
  endpoint({
    id: 'messages.update-all',
    route: 'PATCH /messages',
    summary: 'Mark messages as read, or label them',
    description: 'All messages, or those that match.',
    audited: false,
    query: MessageFilter,
    body: UpdateMessage,
    reply: UpdatedMessages,
    async run({ query, body, services, actor }) {
      const { updated, isCut } = await markFitting(services, actor, query, body)
      return { object: 'list' as const, updated, has_more: isCut }
    },
  }),
  endpoint({
    id: 'messages.remove',
    route: 'DELETE /messages/:id',
    summary: 'Delete a message',
    description: 'In inbox mode and in sandboxes.',
    params: IdParams,
    reply: DeletedMessage,
    run: deletionAfter('message', removeMessage),
  }),
  endpoint({
    id: 'messages.remove-all',
    route: 'DELETE /messages',
    summary: 'Delete messages',
    description: 'All messages, or those that match. In inbox mode and in sandboxes.',
    query: MessageFilter,
    reply: DeletedMessages,
    async run({ query, services, actor }) {
      const { deleted, isCut } = await removeMessages(services, actor, { filter: query })
      return { object: 'list' as const, deleted, has_more: isCut }
    },
  }),
  endpoint({
    id: 'messages.release',
    route: 'POST /messages/:id/release',
    summary: 'Release a message through the relay',
    description: 'Sends one kept message for real, in inbox mode with `POSTWREN_RELAY_URL`. Not from a sandbox.',
    params: IdParams,
    body: ReleaseMessage,
    reply: ReleasedMessage,
    async run({ params, body, services, actor }) {
      const released = await releaseMessage(services, actor, params.id, body.to)
      const taken = released.filter(({ kind }) => kind === 'delivered')
      const others = released.filter(({ kind }) => kind !== 'delivered')
      return {
        ...reference('message', params.id),
        released_to: taken.map(({ recipient }) => recipient),
        reply: taken[0]!.reply,
        refused: others.map(({ recipient, reply }) => ({ to: recipient, reply })),
      }
    },
  }),
]
