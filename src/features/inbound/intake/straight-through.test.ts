import { expect, onTestFinished, test, vi } from 'vitest'
import { type App, startApp } from '../../../../test/harness/app.ts'
import { arrive, RICH, receivingTeam, written } from '../../../../test/harness/arriving.ts'
import { ConnectionLost } from '../../../../test/harness/unlucky-database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { JOBS_CHANNEL } from '../../../kernel/jobs/queries.ts'
import type { FreshJob } from '../../../kernel/jobs/straight-through.ts'
import { newId } from '../../../platform/ids.ts'
import { findReceived, READ_RECEIVED, type ReadPayload } from './queries.ts'

/** A process that takes mail in and reads it, whose worker knows that nothing waits; `handed` is what was to be handed over. */
async function start() {
  const app = await startApp()
  const { client, domain } = await receivingTeam(app, 'acme')
  await app.startWorkers()
  await app.until(() => canReserve(app, client.team))
  const handed: ReadPayload[] = []
  const { straightJobs } = app.services
  const reserve = straightJobs.reserve.bind(straightJobs)
  vi.spyOn(straightJobs, 'reserve').mockImplementation((name: string, jobs: readonly FreshJob[]) => {
    handed.push(...jobs.map(({ payload }) => payload as ReadPayload))
    return reserve(name, jobs)
  })
  const receive = async (raw = RICH) => (await arrive(app, raw, { to: [`desk@${domain}`] })).message
  return { app, client, handed, receive }
}

/** As PostgreSQL refuses a statement. */
class NotSent extends Error {
  readonly code = '22000'
}

function canReserve({ services, clock }: App, team: string) {
  const job = { id: newId(clock), team, payload: {}, runAt: clock.now() }
  const handOver = services.straightJobs.reserve(READ_RECEIVED, [job])
  handOver?.failed(new NotSent())
  return handOver !== null
}

/** Whether the message is read and authenticated, and its job has ended. */
const isRead = async ({ db }: App, id: string) => {
  const [row] = await db.query<{ isDone: boolean }>(sql`
    select authentication is not null and not exists (select from jobs where name = ${READ_RECEIVED}) as "isDone"
    from received_emails where id = ${id}`)
  return row!.isDone
}

/** What is stored from here on is not what was sent. */
async function garble({ db }: App) {
  await db.query(sql`
    create function garbled() returns trigger language plpgsql as $$
      begin new.raw := 'Subject: Stored'::bytea; return new; end $$`)
  await db.query(sql`create trigger garbled before insert on received_raws for each row execute function garbled()`)
  onTestFinished(async () => void (await db.query(sql`drop function garbled cascade`)))
}

const read = async (client: Awaited<ReturnType<typeof start>>['client'], id: string) =>
  (await client.get(`/emails/receiving/${id}`)).body

test('a message is read from memory, and told about once', async () => {
  const { app, client, receive } = await start()
  await garble(app)

  const id = await receive()
  await app.until(() => isRead(app, id))

  expect(await read(client, id)).toMatchObject({ html: expect.stringContaining('Grüße'), attachments: [{}, {}] })
  const events = (await client.events()).filter(({ type }) => type === 'email.received')
  expect(events.map(({ data }) => data.email_id)).toEqual([id])
})

test('what is in memory is what would be found, and large messages are not', async () => {
  const { app, client, handed, receive } = await start()

  const small = await receive()
  const large = await receive(written({ body: 'x'.repeat(300 * 1024) }))
  for (const id of [small, large]) await app.until(() => isRead(app, id))

  const found = await findReceived(app.db, client.team, small)
  expect(handed[0]).toEqual({ team: client.team, id: small, received: { ...found, isRead: false } })
  expect(handed[1]).toEqual({ team: client.team, id: large })
  expect((await read(client, large)).text).toHaveLength(300 * 1024)
})

test('a message whose answer got lost is found again, read as it was stored, and told about once', async () => {
  const { app, client, receive } = await start()
  const queryPooled = app.db.queryPooled.bind(app.db)
  let isLost = false
  vi.spyOn(app.db, 'queryPooled').mockImplementation(async (statement) => {
    const rows = await queryPooled(statement)
    if (isLost || !statement.toQuery().text.includes('insert into received_emails')) return rows as never
    isLost = true
    throw new ConnectionLost('The connection is lost.')
  })

  const answer = await receive()
  app.db.signals.announce(JOBS_CHANNEL)
  await app.until(async () => (await client.events()).some(({ type }) => type === 'email.received'))
  const [row] = await app.db.query<{ id: string }>(sql`select id from received_emails where team_id = ${client.team}`)
  await app.until(() => isRead(app, row!.id))

  expect(answer).not.toBe(row!.id)
  expect((await client.events()).filter(({ type }) => type === 'email.received')).toHaveLength(1)
  expect((await read(client, row!.id)).attachments).toHaveLength(2)
})
