import { userOf } from '../../../kernel/http/actor.ts'
import { retention } from '../../../kernel/jobs/retention.ts'
import { endpoint } from '../../definitions.ts'
import { requireThread, type ThreadPath } from '../threads/actions.ts'
import { ThreadParams } from '../threads/schema.ts'
import type { InboxesThreadsServices } from '../threads/services.ts'
import { deleteExpiredViewers, findViewers, removeViewer, renewViewer } from './queries.ts'
import { AnnounceViewer, Viewers } from './schema.ts'

/** A viewer expires without a renewal: the browser crashed, or the connection broke. */
const LEASE_MS = 30_000

async function refOf({ db }: InboxesThreadsServices, team: string, path: ThreadPath) {
  const { ref, thread } = await requireThread(db, team, path)
  return { ...ref, thread: thread.id }
}

export const viewerEndpoints = [
  endpoint({
    id: 'inboxes.threads.viewers.list',
    route: 'GET /inboxes/:inbox/threads/:thread/viewers',
    summary: 'List the viewers of a thread',
    description: 'Members of the team who have the thread open in the dashboard now.',
    params: ThreadParams,
    reply: Viewers,
    async run({ params, services, actor }) {
      const ref = await refOf(services, actor.team, params)
      return { object: 'list' as const, data: await findViewers(services.db, ref, services.clock.now()) }
    },
  }),
  endpoint({
    id: 'inboxes.threads.viewers.announce',
    route: 'POST /inboxes/:inbox/threads/:thread/viewers',
    summary: 'Announce a viewer of a thread',
    description: `Shows the signed-in member as viewing or replying for ${LEASE_MS / 1_000} seconds, and returns all viewers. With an API key it only returns the list.`,
    access: 'read',
    audited: false,
    logged: false,
    params: ThreadParams,
    body: AnnounceViewer,
    reply: Viewers,
    async run({ params, body: { state }, services, actor }) {
      const { db, clock } = services
      const ref = await refOf(services, actor.team, params)
      const user = userOf(actor)
      const now = clock.now()
      if (user !== null) await renewViewer(db, ref, { user, state, until: new Date(now.getTime() + LEASE_MS) })
      return { object: 'list' as const, data: await findViewers(db, ref, now) }
    },
  }),
  endpoint({
    id: 'inboxes.threads.viewers.remove',
    route: 'DELETE /inboxes/:inbox/threads/:thread/viewers',
    summary: 'Leave a thread',
    description: 'The signed-in member is no longer shown as a viewer.',
    access: 'read',
    audited: false,
    logged: false,
    params: ThreadParams,
    reply: Viewers,
    async run({ params, services, actor }) {
      const ref = await refOf(services, actor.team, params)
      const user = userOf(actor)
      if (user !== null) await removeViewer(services.db, ref, user)
      return { object: 'list' as const, data: await findViewers(services.db, ref, services.clock.now()) }
    },
  }),
]

/** Expired leases are never read, so sweeping them only frees space. */
export const sweepViewers = retention({
  name: 'inboxes.viewers.sweep',
  keepSeconds: () => 0,
  deleteBefore: deleteExpiredViewers,
})
