import { sql } from '../../src/kernel/db/sql.ts'
import { receivingDomain } from './arriving.ts'
import { newId } from './ids.ts'
import { addMessage, addThread, forgetThread, makeInbox } from './inboxes.ts'
import type { Recipe } from './lists.ts'

/** Threads of an inbox, in whatever folder the list shows. */
const threadsAt =
  (path: string): Recipe =>
  async (client, app) => {
    const inbox = await makeInbox(client)
    // Of each kind that the folder shows: they are read apart, and put into one order.
    const kinds = [[{}], [{}, { direction: 'outbound' as const }]]
    return {
      path: `${inbox.path}${path}`,
      unlimited: 20,
      create: async (n) => (await addThread(app, inbox, { messages: kinds[n % 2]! })).id,
      remove: (id) => forgetThread(app, inbox, id),
    }
  }

/** How to fill and empty the lists of inboxes. */
export const INBOX_LISTS: Record<string, Recipe> = {
  'inboxes.list': async (client) => {
    const { domain } = await receivingDomain(client)
    return {
      path: '/inboxes',
      unlimited: 20,
      create: async (n) => (await client.post('/inboxes', { email_address: `desk${n}@${domain}` })).body.id,
      remove: (id) => client.delete(`/inboxes/${id}`),
    }
  },

  'inboxes.threads.list': threadsAt('/threads'),
  'inboxes.threads.search': threadsAt('/threads/search'),
  'inboxes.threads.search-all': async (client, app) => {
    const recipe = await threadsAt('/threads/search')(client, app)
    return { ...recipe, path: '/inboxes/threads/search' }
  },

  'inboxes.threads.emails.list': async (client, app) => {
    const inbox = await makeInbox(client)
    const { id: thread, emails } = await addThread(app, inbox)
    return {
      path: `${inbox.path}/threads/${thread}/emails`,
      unlimited: 20,
      isOldestFirst: true,
      existing: emails,
      async create() {
        const id = newId()
        await addMessage(app, inbox, thread, id)
        return id
      },
      remove: (id) => app.db.query(sql`delete from inbox_messages where team_id = ${client.team} and id = ${id}`),
    }
  },

  'inboxes.drafts.list': async (client) => {
    const inbox = await makeInbox(client)
    return {
      path: `${inbox.path}/drafts`,
      unlimited: 20,
      create: async (n) => (await client.post(`${inbox.path}/drafts`, { subject: `Draft ${n}` })).body.id,
      remove: (id) => client.delete(`${inbox.path}/drafts/${id}`),
    }
  },

  'inboxes.agent.runs.list': async (client, app) => {
    const inbox = await makeInbox(client)
    return {
      path: `${inbox.path}/agent/runs`,
      unlimited: 20,
      async create() {
        const id = newId()
        await app.db.query(sql`
          insert into inbox_agent_runs (team_id, id, inbox_id, thread_id, email_id, status, acts, input_tokens, output_tokens, created_at)
          values (${client.team}, ${id}, ${inbox.id}, ${newId()}, ${newId()}, 'done', '[]', 1, 1, now())`)
        return id
      },
      remove: (id) => app.db.query(sql`delete from inbox_agent_runs where team_id = ${client.team} and id = ${id}`),
    }
  },
}
