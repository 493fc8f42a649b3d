import { walkOn } from '../../src/features/broadcasts/walk.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import type { App, Client } from './app.ts'
import { emptyLedger, startAcme } from './emails.ts'
import { MAILING } from './requests.ts'
import { scriptedTransport } from './transport.ts'

/** A segment with these contacts in it. */
export async function makeSegment(client: Client, contacts: readonly object[]): Promise<string> {
  const segment: string = (await client.post('/segments', { name: 'Readers' })).body.id
  for (const contact of contacts) await addTo(client, segment, contact)
  return segment
}

export async function addTo(client: Client, segment: string, contact: object): Promise<string> {
  const reply = await client.post('/contacts', { ...contact, segments: [segment] })
  if (reply.status !== 201) throw new Error(`no contact: ${reply.text}`)
  return reply.body.id
}

/** A segment with so many contacts, `user0@many.dev` and so on, without asking the API a thousand times. */
export async function makeManyContacts(app: App, client: Client, count: number): Promise<string> {
  const segment = await makeSegment(client, [])
  const ids = Array.from({ length: count }, () => newId(app.clock))
  await app.db.query(sql`
    with given as (select * from unnest(${ids}::uuid[]) with ordinality as given (id, number)),
    made as (
      insert into contacts (team_id, id, email, first_name, created_at, updated_at)
      select ${client.team}, id, 'user' || number - 1 || '@many.dev', 'User ' || number - 1, now(), now() from given)
    insert into contact_segments (team_id, contact_id, segment_id, created_at)
    select ${client.team}, id, ${segment}, now() from given`)
  return segment
}

/** Begins to send a broadcast that must be accepted, and tells its id. */
export async function broadcastTo(client: Client, segment: string, fields: object = {}): Promise<string> {
  const reply = await client.post('/broadcasts', { ...MAILING, segment_id: segment, send: true, ...fields })
  if (reply.status !== 201) throw new Error(`not accepted: ${reply.text}`)
  return reply.body.id
}

export const readBroadcast = async (client: Client, id: string) => (await client.get(`/broadcasts/${id}`)).body

/** The copies of a broadcast, oldest first. */
export const copiesOf = (app: App, client: Client, id: string) =>
  app.db.query<{ id: string; to: string; subject: string; state: string; last_event: string }>(sql`
    select e.id, d.recipient as to, e.subject, d.state, e.last_event
    from emails e join deliveries d on d.team_id = e.team_id and d.email_id = e.id
    where e.team_id = ${client.team} and e.broadcast_id = ${id} order by e.id`)

/** Why contacts were left out, by address. */
export async function leftOut(app: App, client: Client, id: string): Promise<Record<string, string>> {
  const rows = await app.db.query<{ email: string; reason: string }>(sql`
    select email, reason from broadcast_recipients
    where team_id = ${client.team} and broadcast_id = ${id} and reason is not null`)
  return Object.fromEntries(rows.map(({ email, reason }) => [email, reason]))
}

/** Makes the copies, sends them, and lets the broadcast notice. */
export async function sendAll(app: App) {
  await app.runDueJobs()
  await app.deliverDue()
  app.clock.advance(1)
  await app.runDueJobs()
}

/** Nothing in the ledger, and an outside world that remembers who was written to. */
export async function startBroadcasting() {
  const world = scriptedTransport()
  const { app, acme } = await startAcme({}, { transport: world.transport })
  await emptyLedger(app)
  return { app, acme, world, written: () => world.sent.map(({ recipient }) => recipient).sort() }
}

/** The first, or the next, thousand. */
export const walkOnce = ({ db, clock }: App, { team }: Client, id: string) =>
  db.transaction((trx) => walkOn(trx, team, id, { now: clock.now() }))
