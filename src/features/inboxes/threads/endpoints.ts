import { endpoint, list } from '../../definitions.ts'
import { requireInbox } from '../actions.ts'
import { fileArrivals } from '../arrivals.ts'
import { InboxParams } from '../schema.ts'
import { changeThread, readThreadEmail, requireThread, trashThread } from './actions.ts'
import { changeThreads } from './batch.ts'
import { findThreadEmails } from './email-queries.ts'
import { readThreadFilter } from './filter.ts'
import { threadRows } from './queries.ts'
import {
  DeletedThread,
  InboxEmail,
  MAX_BATCH_THREADS,
  Thread,
  ThreadEmailParams,
  ThreadFilter,
  ThreadItem,
  ThreadParams,
  UpdatedThreads,
  UpdateThread,
  UpdateThreads,
} from './schema.ts'

export const threadEndpoints = [
  list({
    id: 'inboxes.threads.list',
    route: 'GET /inboxes/:inbox/threads',
    summary: 'List threads',
    description: 'Most recently active first.',
    params: InboxParams,
    query: ThreadFilter,
    item: ThreadItem,
    unlimited: 20,
    async rows({ params, query, services, actor }) {
      const { db } = services
      const { team } = actor
      const ref = { team, inbox: (await requireInbox(db, team, params.inbox)).id }
      const choice = await readThreadFilter(db, ref, query)
      await fileArrivals(services, actor)
      return threadRows(ref, choice, { showsText: actor.permissions.has('content') })
    },
  }),
  endpoint({
    id: 'inboxes.threads.get',
    route: 'GET /inboxes/:inbox/threads/:thread',
    summary: 'Retrieve a thread',
    params: ThreadParams,
    reply: Thread,
    run: async ({ params, services, actor }) => (await requireThread(services.db, actor.team, params)).thread,
  }),
  endpoint({
    id: 'inboxes.threads.update',
    route: 'PATCH /inboxes/:inbox/threads/:thread',
    summary: 'Update a thread',
    audited: false,
    params: ThreadParams,
    body: UpdateThread,
    reply: Thread,
    run: ({ params, body, services, actor }) => changeThread(services, actor, params, body),
  }),
  endpoint({
    id: 'inboxes.threads.batch',
    route: 'POST /inboxes/:inbox/threads/batch',
    summary: 'Update many threads',
    description: `Up to ${MAX_BATCH_THREADS} threads in one transaction. Threads that do not exist are listed in \`errors\`; the others are updated.`,
    audited: false,
    params: InboxParams,
    body: UpdateThreads,
    reply: UpdatedThreads,
    run: ({ params, body, services, actor }) => changeThreads(services, actor, params.inbox, body),
  }),
  endpoint({
    id: 'inboxes.threads.remove',
    route: 'DELETE /inboxes/:inbox/threads/:thread',
    summary: 'Move a thread to the trash',
    description: 'Deleted after 30 days. Until then, move it to another folder to restore it.',
    audited: false,
    params: ThreadParams,
    reply: DeletedThread,
    run: async ({ params, services, actor }) => ({
      object: 'inbox_thread' as const,
      ...(await trashThread(services, actor, params)),
    }),
  }),
  list({
    id: 'inboxes.threads.emails.list',
    route: 'GET /inboxes/:inbox/threads/:thread/emails',
    summary: 'List the emails of a thread',
    description:
      'Oldest first. `html` and `text` are null for emails with more than 256 kB of them, and at the end of a page with more than 4 MB; retrieve the email to get them.',
    access: 'content',
    params: ThreadParams,
    item: InboxEmail,
    unlimited: 20,
    async rows({ params, window, services, actor }) {
      await fileArrivals(services, actor)
      const { thread } = await requireThread(services.db, actor.team, params)
      return findThreadEmails(services.db, { team: actor.team, thread: thread.id }, window)
    },
  }),
  endpoint({
    id: 'inboxes.threads.emails.get',
    route: 'GET /inboxes/:inbox/threads/:thread/emails/:email',
    summary: 'Retrieve an email of a thread',
    description: 'Embedded images are part of the html.',
    access: 'content',
    params: ThreadEmailParams,
    reply: InboxEmail,
    run: ({ params, services, actor }) => readThreadEmail(services, actor, params),
  }),
]
