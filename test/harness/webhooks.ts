import { OutgoingHttp } from '../../src/adapters/outgoing-http/outgoing-http.ts'
import type { Http } from '../../src/features/webhooks/delivery/attempt.ts'
import { MESSAGE_PREFIX } from '../../src/features/webhooks/delivery/message.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import type { App, Client, Seams } from './app.ts'
import { startAcme } from './emails.ts'
import { startReceiver } from './receiver.ts'

/** The real way out, with another patience. */
export function patientHttp(timeoutMs: number): Http {
  const http = new OutgoingHttp({ allowPrivateAddresses: true, connectionsPerHost: 100 })
  return { send: (request) => http.send({ ...request, timeoutMs }), close: (graceMs) => http.close(graceMs) }
}

/** The app with one team in it, somebody to tell things to, and nothing to tell yet. */
export async function startWithReceiver(seams: Seams = {}, settings: Record<string, string> = {}) {
  const { app, acme } = await startAcme(settings, seams)
  await forgetAll(app)
  return { app, acme, receiver: await startReceiver() }
}

/** Nobody is to be told what an earlier test of the file has left over. */
export const forgetAll = ({ db }: App) =>
  db.query(sql`
    with noted as (delete from webhook_fan_outs), batches as (delete from webhook_batches), attempts as (delete from webhook_attempts)
    delete from webhook_deliveries`)

interface MadeWebhook {
  readonly id: string
  readonly secret: string
}

/** A webhook that must come about. */
export async function addWebhook(client: Client, endpoint: string, events = ['topic.created']): Promise<MadeWebhook> {
  const { status, body, text } = await client.post('/webhooks', { endpoint, events })
  if (status !== 201) throw new Error(`no webhook: ${text}`)
  return { id: body.id, secret: body.signing_secret }
}

/** Makes things happen: so many topics. Gives the ids of the events, as receivers know them. */
export async function happen(
  { db, clock }: App,
  { team }: Pick<Client, 'team'>,
  count = 1,
  type = 'topic.created',
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId(clock))
  await db.query(sql`
    insert into outbox (team_id, id, type, data, created_at)
    select ${team}, id, ${type}, json_build_object('number', number), ${clock.now()}
    from unnest(${ids}::uuid[]) with ordinality as new (id, number)`)
  return ids.map((id) => `${MESSAGE_PREFIX}${id}`)
}

/** What the log of a webhook says about each event: `{ msg_…: 'success' }`. */
export async function statuses(client: Client, webhookId: string): Promise<Record<string, string>> {
  const { body } = await client.get(`/webhooks/${webhookId}/events?limit=100`)
  return Object.fromEntries(body.data.map(({ id, status }: { id: string; status: string }) => [id, status]))
}

export async function attemptsOf(
  client: Client,
  webhookId: string,
  eventId: string,
): Promise<{ http_status_code: number; response: string }[]> {
  return (await client.get(`/webhooks/${webhookId}/events/${eventId}/attempts?limit=100`)).body.data
}

/** An event in the log of a webhook, without anybody who delivers it. */
export async function addLogged({ db, clock }: App, { team }: Client, webhookId: string): Promise<string> {
  const id = newId(clock)
  await db.query(sql`
    with event as (
      insert into outbox (team_id, id, type, data, created_at) values (${team}, ${id}, 'inbox.created', '{}', now()))
    insert into webhook_deliveries (team_id, webhook_id, event_id, state) values (${team}, ${webhookId}, ${id}, 'success')`)
  return `${MESSAGE_PREFIX}${id}`
}
