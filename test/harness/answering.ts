import { sql } from '../../src/kernel/db/sql.ts'
import { parseMail } from '../../src/mail/parse.ts'
import { type App, type Client, type Seams, startApp } from './app.ts'
import { arrive } from './arriving.ts'
import { emptyLedger } from './emails.ts'
import { inboxOf, type Letter, letter, messagesIn } from './filed-mail.ts'
import { startMailServer } from './mail-server.ts'

export type Desk = Awaited<ReturnType<typeof startDesk>>

/** The app with an inbox of acme. */
export async function startDesk(settings: Record<string, string> = {}, seams: Seams = {}) {
  const app = await startApp(settings, seams)
  return deskIn(app)
}

async function deskIn(app: App) {
  const { client: acme, id, address } = await inboxOf(app, 'acme', 'desk')
  return {
    ...{ app, acme, id, address, path: `/inboxes/${id}` },
    messages: () => messagesIn(app, acme, id),
    /** A message that came and was filed. */
    receive: (written: Letter | Buffer = {}) => received(app, acme, { id, address }, written),
  }
}

/** The same where mail leaves, for one real server that stands for all others. */
export async function startSendingDesk() {
  const server = await startMailServer()
  const router = {
    resolve: async (name: string) => ({ kind: 'found' as const, destination: { name, hosts: [server.host] } }),
  }
  const settings = { POSTWREN_DELIVERY: 'direct', POSTWREN_PUBLIC_URL: 'https://mail.acme.dev' }
  const app = await startApp(settings, { router })
  await emptyLedger(app)
  const acme = await app.as('acme')
  const domain = `d-${Math.random().toString(36).slice(2)}.dev`
  await acme.post('/domains', {
    name: domain,
    dkim: 'ed25519',
    capabilities: { sending: 'enabled', receiving: 'enabled' },
  })
  await app.db.query(sql`
    update domains set status = 'verified', is_sending_verified = true, is_receiving_proven = true where team_id = ${acme.team}`)
  const address = `desk@${domain}`
  const { body } = await acme.post('/inboxes', { email_address: address, from_name: 'Acme, Desk' })
  const inbox = { id: body.id as string, address }
  return {
    ...{ app, acme, domain, address, path: `/inboxes/${inbox.id}`, server },
    receive: (written: Letter | Buffer = {}) => received(app, acme, inbox, written),
    /** Delivers what is due, and gives what the recipients' server got. */
    async delivered() {
      await app.deliverDue()
      return Promise.all(server.messages.map(async ({ bytes, to }) => ({ envelope: to, ...(await parseMail(bytes)) })))
    },
  }
}

async function received(
  app: App,
  acme: Client,
  inbox: { readonly id: string; readonly address: string },
  written: Letter | Buffer,
) {
  const raw = Buffer.isBuffer(written) ? written : letter({ to: inbox.address, ...written })
  const answer = await arrive(app, raw, { to: [inbox.address] })
  if (answer.kind === 'refused') throw new Error(answer.message)
  const email = answer.message
  await app.runDueJobs()
  await app.fileMail()
  const { thread } = (await messagesIn(app, acme, inbox.id)).find(({ id }) => id === email)!
  return { email, thread, path: `/inboxes/${inbox.id}/threads/${thread}/emails/${email}` }
}

/** Of a message that was parsed. */
export const headerOf = (mail: { readonly headers: readonly { name: string; value: string }[] }, name: string) =>
  mail.headers.find((header) => header.name === name)?.value
