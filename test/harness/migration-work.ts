import type pg from 'pg'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { isContention } from '../../src/platform/database-errors.ts'
import { newId } from '../../src/platform/ids.ts'
import { Longest } from './longest.ts'
import { TEAM } from './old-rows.ts'

/** What a service does all the time, in one transaction each: accept, settle, list. */
export function startWork(client: pg.Client) {
  const work = { rounds: 0, longest: new Longest(), stop: async () => {} }
  let isStopping = false
  const timed = (text: string, values: unknown[]) =>
    work.longest.of(async () => (await client.query(text, values)).rows)
  const loop = async () => {
    while (!isStopping)
      try {
        await round()
      } catch (error) {
        // Who gives way in a deadlock with a migration comes again, as a service does.
        if (!isContention(error)) throw error
      }
  }
  const round = async () => {
    const [id, event] = [newId(systemClock), newId(systemClock)]
    await timed(ACCEPT, [TEAM, id, event])
    await timed(
      `update deliveries set state = 'delivered', settled_at = now() where team_id = $1 and email_id = $2 and state = 'waiting'`,
      [TEAM, id],
    )
    const [first] = await timed('select id from emails where team_id = $1 order by id desc limit 20', [TEAM])
    if (first.id !== id) throw new Error(`The list begins with ${first.id}, and not with ${id}`)
    work.rounds++
  }
  const ended = loop()
  // Told by `stop`, unless the test has failed before.
  ended.catch(() => {})
  work.stop = async () => {
    isStopping = true
    await ended
  }
  return work
}

const ACCEPT = `
  with email as (
    insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    values ($1, $2, $2::uuid::text, 'a@acme.dev', '["b@sink.dev"]', 'Hello', 'queued', now())),
  body as (insert into email_bodies (team_id, email_id, text) values ($1, $2, 'Hello')),
  delivery as (insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at) values ($1, $2, 0, 'b@sink.dev', now(), now())),
  facts as (insert into metric_facts (team_id, email_id, metric, event_id, at)
    select $1, $2, metric, '00000000-0000-0000-0000-000000000000', now() from unnest('{sent, delivered}'::metric[]) metric),
  events as (insert into outbox (team_id, id, type, data, created_at, about)
    select $1, id, 'email.sent', '{}', now(), $2 from unnest(array[$2, $3]::uuid[]) id)
  insert into request_logs (team_id, id, method, endpoint, response_status, created_at) values ($1, $2, 'POST', '/emails', 200, now())`

/** Runs what is missing, and tells how long each took. */
export async function migrateTimed(config: pg.ClientConfig, client: pg.Client): Promise<string[]> {
  let last = Date.now()
  const migrated = await migrate(config, systemClock)
  const { rows } = await client.query(
    'select name, applied_at, is_contraction from schema_migrations where name = any ($1) order by name',
    [migrated],
  )
  return rows.map(({ name, applied_at }) => {
    const took = applied_at.getTime() - last
    last = applied_at.getTime()
    return `${name} took ${took} ms`
  })
}
