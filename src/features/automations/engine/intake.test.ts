import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { newId } from '../../../../test/harness/ids.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { AUTOMATIONS_CHANNEL } from './channel.ts'
import { EventIntake, type SentEvent } from './intake.ts'

async function start() {
  const app = await startApp()
  const { team } = await app.as('acme')
  const event = (name: string, fields: Partial<SentEvent> = {}): SentEvent => ({
    ...{ team, event: name, contactId: null, email: 'ada@example.com', payload: {}, payloadBytes: 2 },
    idempotency: null,
    ...fields,
  })
  const withKey = (name: string, key: string) =>
    event(name, {
      idempotency: { team, endpoint: 'POST /events/send', key, bodySha256: Buffer.alloc(32), response: { key } },
    })
  const sent = async () => {
    const rows = await app.db.query<{ event: string }>(sql`
      select data ->> 'event' as event from outbox where team_id = ${team} order by id`)
    return rows.map(({ event }) => event)
  }
  /** Somebody's graph mentions these events. */
  const mention = async (names: readonly string[]) => {
    const graph = newId()
    await app.db.query(sql`
      insert into automation_graphs (team_id, id, automation_id, steps, connections, created_at)
      values (${team}, ${graph}, ${newId()}, '[]', '[]', now())`)
    await app.db.query(sql`
      insert into automation_graph_events (team_id, event_name, graph_id)
      select ${team}::uuid, name, ${graph}::uuid from unnest(${names}::text[]) name`)
  }
  const noted = async () => {
    const rows = await app.db.query<{ event: string }>(sql`
      select o.data ->> 'event' as event from automation_events n
      join outbox o on o.team_id = n.team_id and o.id = n.event_id where n.team_id = ${team} order by n.seq`)
    return rows.map(({ event }) => event)
  }
  return { app, team, event, withKey, sent, mention, noted, intake: new EventIntake(app.db) }
}

const names = Array.from({ length: 150 }, (_, n) => `event ${n}`)

test('automations get events in the order in which they came, with keys and without', async () => {
  const { intake, event, withKey, mention, noted } = await start()
  await mention(names.filter((name) => name !== 'event 7'))

  await Promise.all(names.slice(0, 40).map((name) => intake.send(event(name))))
  await Promise.all(
    names.slice(40, 80).map((name) => intake.send(name.endsWith('5') ? withKey(name, name) : event(name))),
  )
  for (const name of names.slice(80, 90)) await intake.send(event(name))

  expect(await noted()).toEqual(names.slice(0, 90).filter((name) => name !== 'event 7'))
})

test('a key that is taken admits nothing of its request, and everything of the others', async () => {
  const { intake, event, withKey, sent } = await start()
  await intake.send(withKey('first', 'a'))

  const admitted = await Promise.all(
    [withKey('again', 'a'), withKey('second', 'b'), event('third')].map((one) => intake.send(one)),
  )

  expect(admitted).toEqual([false, true, true])
  expect(await sent()).toEqual(['first', 'second', 'third'])
})

test('many that come at once share few commits', async () => {
  const { app, team, intake, event } = await start()

  await Promise.all(names.map((name) => intake.send(event(name))))

  const [row] = await app.db.query<{ commits: number; events: number }>(sql`
    select count(distinct xmin::text)::int as commits, count(*)::int as events from outbox where team_id = ${team}`)
  expect(row!.events).toBe(names.length)
  expect(row!.commits).toBeLessThan(names.length / 10)
})

test('one that the database refuses costs nobody else their event', async () => {
  const { intake, event, sent } = await start()

  const events = [event('a'), event('b', { team: 'no id' }), event('c')]
  const results = await Promise.allSettled(events.map((one) => intake.send(one)))

  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await sent()).toEqual(['a', 'c'])
})

test('nobody is answered before the commit, and who is cut off before it is answered nothing', async () => {
  const { app, intake, event, sent } = await start()
  let woken = 0
  const stop = app.db.signals.watch(AUTOMATIONS_CHANNEL, () => woken++)
  const answers: string[] = []
  const send = (name: string) =>
    intake.send(event(name)).then(
      () => void answers.push(`${name} accepted`),
      () => void answers.push(`${name} failed`),
    )

  const waiting = await app.db.transaction(async (trx) => {
    await trx.query(sql`lock table outbox in share mode`)
    const lost = send('lost')
    const writer = async () => {
      const [row] = await app.db.query<{ pid: number }>(sql`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1`)
      return row?.pid
    }
    await expect.poll(writer).toBeDefined()
    expect([answers, woken]).toEqual([[], 0])
    await trx.query(sql`select pg_terminate_backend(${await writer()})`)
    await lost
    return { kept: send('kept') }
  })
  await waiting.kept
  stop()

  expect(answers).toEqual(['lost failed', 'kept accepted'])
  expect(await sent()).toEqual(['kept'])
  expect(woken).toBe(1)
})
