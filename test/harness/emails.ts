import { readdirSync } from 'node:fs'
import { type StoredBodies, unpacked } from '../../src/features/emails/reads.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { type App, type Client, type Seams, startApp } from './app.ts'

/** The least that can be sent. */
export const SIMPLE = { from: 'Acme <hello@acme.dev>', to: 'ada@example.com', subject: 'Hello', html: '<p>Hi</p>' }

/** The app with one team in it. */
export async function startAcme(settings: Record<string, string> = {}, seams: Seams = {}) {
  const app = await startApp(settings, seams)
  return { app, acme: await app.as('acme') }
}

/** Sends one that must be accepted, and tells its id. */
export async function sendEmail(client: Client, fields: object = {}): Promise<string> {
  const reply = await client.post('/emails', { ...SIMPLE, ...fields })
  if (reply.status !== 200) throw new Error(`not accepted: ${reply.text}`)
  return reply.body.id
}

/** Whatever was sent to an address, oldest first, also by the installation itself. */
export async function mailsTo(app: App, email: string): Promise<{ subject: string; text: string; html: string }[]> {
  const rows = await app.db.query<StoredBodies & { subject: string }>(sql`
    select e.subject, b.text, b.html, b.content from emails e
    join email_bodies b on b.team_id = e.team_id and b.email_id = e.id where e."to" ->> 0 = ${email} order by e.id`)
  return rows.map((row) => unpacked(row) as { subject: string; text: string; html: string })
}

export async function readEmail(client: Client, id: string) {
  const { body } = await client.get(`/emails/${id}`)
  return {
    ...body,
    /** `delivered`, or what became of each recipient. */
    states: Object.fromEntries(
      body.deliveries.map(({ recipient, state }: { recipient: string; state: string }) => [recipient, state]),
    ) as Record<string, string>,
    /** Without the `email.` in front. */
    timeline: body.events.map(({ type }: { type: string }) => type.slice('email.'.length)) as string[],
  }
}

/** A domain of the team whose records are in the DNS. */
export async function addVerifiedDomain(app: App, client: Client, name: string): Promise<string> {
  const { body } = await client.post('/domains', { name, dkim: 'ed25519' })
  await app.db.query(sql`
    update domains set status = 'verified', is_sending_verified = true where team_id = ${client.team} and id = ${body.id}`)
  return body.id
}

/** Nobody is to deliver what an earlier test of the file has left over. */
export const emptyLedger = (app: App) =>
  app.db.query(sql`with routes as (delete from delivery_routes) delete from deliveries`)

/** The files in the blob store. */
export const blobsOf = ({ folder }: App) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
