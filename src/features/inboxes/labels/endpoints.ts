import { deletion, reference } from '../../../kernel/http/shapes.ts'
import { endpoint } from '../../definitions.ts'
import { requireInbox } from '../actions.ts'
import { InboxParams } from '../schema.ts'
import { ThreadParams } from '../threads/schema.ts'
import { addLabel, changeLabel, changeLabelsOf, removeLabel } from './actions.ts'
import { findLabels } from './queries.ts'
import {
  AddLabels,
  CreateLabel,
  DeletedLabel,
  LabelParams,
  LabelReference,
  Labels,
  SetLabels,
  ThreadLabelParams,
  ThreadLabels,
  UpdateLabel,
} from './schema.ts'

export const labelEndpoints = [
  endpoint({
    id: 'inboxes.labels.list',
    route: 'GET /inboxes/:inbox/labels',
    summary: 'List the labels of an inbox',
    params: InboxParams,
    reply: Labels,
    async run({ params, services, actor }) {
      const { id: inbox } = await requireInbox(services.db, actor.team, params.inbox)
      return { object: 'list' as const, data: await findLabels(services.db, { team: actor.team, inbox }) }
    },
  }),
  endpoint({
    id: 'inboxes.labels.create',
    route: 'POST /inboxes/:inbox/labels',
    summary: 'Create a label',
    status: 201,
    params: InboxParams,
    body: CreateLabel,
    reply: LabelReference,
    run: async ({ params, body, services, actor }) =>
      reference('inbox_label', await addLabel(services, actor, params.inbox, body)),
  }),
  endpoint({
    id: 'inboxes.labels.update',
    route: 'PATCH /inboxes/:inbox/labels/:label',
    summary: 'Update a label',
    params: LabelParams,
    body: UpdateLabel,
    reply: LabelReference,
    run: async ({ params, body, services, actor }) =>
      reference('inbox_label', await changeLabel(services, actor, params, body)),
  }),
  endpoint({
    id: 'inboxes.labels.remove',
    route: 'DELETE /inboxes/:inbox/labels/:label',
    summary: 'Delete a label',
    params: LabelParams,
    reply: DeletedLabel,
    async run({ params, services, actor }) {
      await removeLabel(services, actor, params)
      return deletion('inbox_label', params.label)
    },
  }),
  endpoint({
    id: 'inboxes.threads.labels.add',
    route: 'POST /inboxes/:inbox/threads/:thread/labels',
    summary: 'Add labels to a thread',
    audited: false,
    params: ThreadParams,
    body: AddLabels,
    reply: ThreadLabels,
    run: async ({ params, body, services, actor }) => ({
      object: 'list' as const,
      data: await changeLabelsOf(services, actor, params, { add: body.labels }),
    }),
  }),
  endpoint({
    id: 'inboxes.threads.labels.set',
    route: 'PUT /inboxes/:inbox/threads/:thread/labels',
    summary: 'Replace the labels of a thread',
    audited: false,
    params: ThreadParams,
    body: SetLabels,
    reply: ThreadLabels,
    run: async ({ params, body, services, actor }) => ({
      object: 'list' as const,
      data: await changeLabelsOf(services, actor, params, { set: body.labels }),
    }),
  }),
  endpoint({
    id: 'inboxes.threads.labels.remove',
    route: 'DELETE /inboxes/:inbox/threads/:thread/labels/:label',
    summary: 'Remove a label from a thread',
    audited: false,
    params: ThreadLabelParams,
    reply: ThreadLabels,
    run: async ({ params, services, actor }) => ({
      object: 'list' as const,
      data: await changeLabelsOf(services, actor, params, { remove: [params.label] }),
    }),
  }),
]
