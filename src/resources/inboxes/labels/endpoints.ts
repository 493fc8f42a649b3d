import { endpoint } from '../../definitions.ts'
import { notYet } from '../not-yet.ts'
import { InboxParams } from '../schema.ts'
import { ThreadParams } from '../threads/schema.ts'
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
    run: async () => notYet(),
  }),
  endpoint({
    id: 'inboxes.labels.create',
    route: 'POST /inboxes/:inbox/labels',
    summary: 'Create a label',
    status: 201,
    params: InboxParams,
    body: CreateLabel,
    reply: LabelReference,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'inboxes.labels.update',
    route: 'PATCH /inboxes/:inbox/labels/:label',
    summary: 'Update a label',
    params: LabelParams,
    body: UpdateLabel,
    reply: LabelReference,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'inboxes.labels.remove',
    route: 'DELETE /inboxes/:inbox/labels/:label',
    summary: 'Delete a label',
    params: LabelParams,
    reply: DeletedLabel,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'inboxes.threads.labels.add',
    route: 'POST /inboxes/:inbox/threads/:thread/labels',
    summary: 'Add labels to a thread',
    audited: false,
    params: ThreadParams,
    body: AddLabels,
    reply: ThreadLabels,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'inboxes.threads.labels.set',
    route: 'PUT /inboxes/:inbox/threads/:thread/labels',
    summary: 'Replace the labels of a thread',
    audited: false,
    params: ThreadParams,
    body: SetLabels,
    reply: ThreadLabels,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'inboxes.threads.labels.remove',
    route: 'DELETE /inboxes/:inbox/threads/:thread/labels/:label',
    summary: 'Remove a label from a thread',
    audited: false,
    params: ThreadLabelParams,
    reply: ThreadLabels,
    run: async () => notYet(),
  }),
]
