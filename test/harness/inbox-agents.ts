import { enqueueAgents } from '../../src/features/inboxes/agent/enqueue.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { type App, type Seams, startApp } from './app.ts'
import { addThread, type MadeInbox, makeInbox } from './inboxes.ts'
import { startModelServer } from './model-server.ts'

export interface MailToLookAt {
  readonly from?: string
  readonly subject?: string
  readonly text?: string | null
  readonly html?: string | null
  readonly headers?: readonly { name: string; value: string }[]
  readonly envelopeFrom?: string
  readonly files?: readonly string[]
  /** Into this one; a thread of its own, unless said. */
  readonly thread?: string
  readonly folder?: 'inbox' | 'archive' | 'spam' | 'trash'
}

const ALL = ['draft_reply', 'forward_thread', 'add_labels', 'assign_thread', 'mark_as_spam', 'archive', 'move_to_trash']

/** An app with a model, and a team whose inbox has an agent that may do everything. */
export async function startWithAgent(settings: Record<string, string> = {}, seams: Seams = {}) {
  const model = await startModelServer()
  const app = await startApp({ ...model.settings, ...settings }, seams)
  const acme = await app.as('acme')
  const inbox = await makeInbox(acme)
  const agent = `${inbox.path}/agent`
  await acme.patch(agent, { instructions: 'Help.', actions: ALL, forward_to: ['books@partner.example'] })
  const labels = await Promise.all(
    ['Orders', 'Bugs'].map(async (name) => (await acme.post(`${inbox.path}/labels`, { name })).body.id as string),
  )
  return {
    app,
    acme,
    inbox,
    model,
    labels,
    agent,
    /** What it did, the newest first. */
    runs: async () => (await acme.get(`${agent}/runs`)).body.data,
    /** A message is filed, and the agent looks at it. */
    async look(mail: MailToLookAt = {}) {
      const filed = await fileMail(app, inbox, mail)
      await app.runDueJobs()
      return filed
    },
    thread: async (id: string) => (await acme.get(`${inbox.path}/threads/${id}`)).body,
  }
}

/** A message that was received and filed, with the job that filing enqueues. */
export async function fileMail({ db }: Pick<App, 'db'>, inbox: MadeInbox, mail: MailToLookAt = {}) {
  const { from = 'Ada <ada@example.net>', subject = 'My order', text = 'Where is it?', html = null } = mail
  const { headers = [], envelopeFrom = 'ada@example.net', files = [], folder = 'inbox' } = mail
  const attachments = files.map((filename) => ({ id: inbox.id, filename, size: 1, content_type: 'application/pdf' }))
  const added = await addThread({ db }, inbox, { subject, folder, messages: [{ from, attachments }] })
  const email = added.emails[0]!
  const { team } = inbox
  await db.transaction(async (trx) => {
    await trx.query(sql`
      insert into received_emails (team_id, id, "from", "to", cc, bcc, reply_to, received_for, subject, message_id, envelope_from,
        client_address, helo, size, read_at, created_at)
      values (${team}, ${email}, ${from}, '[]', '[]', '[]', '[]', '[]', ${subject}, null, ${envelopeFrom}, '192.0.2.1', 'mx', 100,
        now(), now())`)
    await trx.query(sql`
      insert into received_bodies (team_id, received_id, headers, html, text, faults)
      values (${team}, ${email}, ${JSON.stringify(headers)}, ${html}, ${text}, '[]')`)
    await trx.query(sql`
      update inbox_messages set subject = ${subject}, thread_id = ${mail.thread ?? added.id} where team_id = ${team} and id = ${email}`)
    await enqueueAgents(trx, team, [{ inbox: inbox.id, email }])
  })
  return { thread: mail.thread ?? added.id, email }
}
