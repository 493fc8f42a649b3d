import { describe, expect, test } from 'vitest'
import type { App, Client } from '../../../test/harness/app.ts'
import { addVerifiedDomain, startAcme } from '../../../test/harness/emails.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { newId } from '../../../test/harness/ids.ts'
import { eventually } from '../../../test/harness/service.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { deleteEventsBefore } from '../../kernel/outbox/queries.ts'
import { newId as idAt } from '../../platform/ids.ts'
import { foldEvents, foldStatement } from './fold.ts'
import { foldMetrics } from './jobs.ts'

const ALL = Number.MAX_SAFE_INTEGER
const MARCH = 'start_date=2026-03-01&end_date=2026-03-31'

interface Event {
  readonly id?: string
  readonly type?: string
  readonly at?: string
  readonly about?: string | null
  readonly data?: object
}

const happen = (db: Queryable, team: string, event: Event = {}) => {
  const { type = 'email.sent', at = '2026-03-10T10:00:00Z', about = newId(), data = {} } = event
  const { id = idAt({ now: () => new Date(at) }) } = event
  return db.query(sql`
    insert into outbox (team_id, id, type, data, about, created_at)
    values (${team}, ${id}, ${type}, ${JSON.stringify(data)}, ${about}, ${at})`)
}

/** So many emails were sent, all over March. */
const happenOften = (db: Queryable, team: string, times: number) =>
  db.query(sql`
    insert into outbox (team_id, id, type, data, about, created_at)
    select ${team}, gen_random_uuid(), 'email.sent', '{}', gen_random_uuid(),
      '2026-03-01T00:00:00Z'::timestamptz + n * interval '20 days' / ${times}
    from generate_series(1, ${times}) n`)

/** What the counters say, without anybody counting on the way. */
async function counted({ db }: App, { team }: Client) {
  const [row] = await db.query<{ sent: number; delivered: number; facts: number; uncounted: number }>(sql`
    select (select coalesce(sum(sent), 0)::int from metric_counts where team_id = ${team}) as sent,
      (select coalesce(sum(delivered), 0)::int from metric_counts where team_id = ${team}) as delivered,
      (select count(*)::int from metric_facts where team_id = ${team}) as facts,
      (select coalesce(sum(coalesce(cardinality(event_ids), 1)), 0)::int from uncounted_batches where team_id = ${team}) as uncounted`)
  return row!
}

describe('an event is counted exactly once', () => {
  test('when a smaller id commits after a larger one was counted', async () => {
    const { app, acme } = await startAcme()
    const [smaller, larger] = [newId(), newId()]
    const [written, wanted] = [makeGate(), makeGate()]

    const late = app.db.transaction(async (trx) => {
      await happen(trx, acme.team, { id: smaller })
      written.open()
      await wanted.opened
    })
    await written.opened
    await happen(app.db, acme.team, { id: larger })
    await foldEvents(app.db, acme.team, ALL)
    const before = await counted(app, acme)
    wanted.open()
    await late
    await foldEvents(app.db, acme.team, ALL)

    expect(before).toMatchObject({ sent: 1, uncounted: 0 })
    expect(await counted(app, acme)).toEqual({ sent: 2, delivered: 0, facts: 2, uncounted: 0 })
  })

  test('when several count at the same time, while more happens', async () => {
    const { app, acme } = await startAcme()
    const globex = await app.as('globex')
    const email = newId()
    const write = async ({ team }: Client) => {
      for (let turn = 0; turn < 20; turn++) {
        await happenOften(app.db, team, 50)
        await happen(app.db, team, { type: 'email.delivered', about: email, at: `2026-03-10T10:${59 - turn}:00Z` })
      }
    }
    const count = async () => {
      for (let turn = 0; turn < 10; turn++) for (const { team } of [acme, globex]) await foldEvents(app.db, team, ALL)
    }

    await Promise.all([write(acme), write(globex), count(), count(), count()])
    await count()

    for (const team of [acme, globex])
      expect(await counted(app, team)).toEqual({ sent: 1_000, delivered: 1, facts: 1_001, uncounted: 0 })
  })

  test('when whoever counts is killed in the middle of it', async () => {
    const { app, acme } = await startAcme()
    await happenOften(app.db, acme.team, 300)
    const [held, released] = [makeGate(), makeGate()]
    // The first quarter of March is somebody else's for now: the count has to wait for it, with everything else done.
    const holder = app.db.transaction(async (trx) => {
      await trx.query(sql`
        insert into metric_counts select ${acme.team}, q, ${NONE}, ${NONE}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
        from generate_series('2026-03-01T00:00:00Z'::timestamptz, '2026-03-02T00:00:00Z', '15 minutes') q`)
      held.open()
      await released.opened
      throw new Error('never mind')
    })
    const ended = holder.catch(() => {})
    await held.opened

    const count = foldEvents(app.db, acme.team, ALL)
    const failure = count.catch((error: Error) => error.message)
    await eventually(async () => {
      const killed = await app.db.query(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%delete from uncounted_batches%'`)
      return killed.length === 1
    })

    expect(await failure).toMatch(/terminat/)
    released.open()
    await ended
    expect(await counted(app, acme)).toEqual({ sent: 0, delivered: 0, facts: 0, uncounted: 300 })
    await foldEvents(app.db, acme.team, ALL)
    expect(await counted(app, acme)).toEqual({ sent: 300, delivered: 0, facts: 300, uncounted: 0 })
  })
})

const NONE = '00000000-0000-0000-0000-000000000000'

describe('old events', () => {
  test('stay until they are counted, and what was counted outlives them', async () => {
    const { app, acme } = await startAcme()
    const email = newId()
    await happen(app.db, acme.team, { about: email })
    const sweep = () => deleteEventsBefore(app.db, { moment: new Date('2026-04-01'), limit: 100_000 })
    const left = async () => (await acme.events()).length

    await sweep()
    expect(await left()).toBe(1)
    const { totals } = (await acme.get(`/emails/metrics?${MARCH}&metrics=sent`)).body
    await sweep()

    expect(await left()).toBe(0)
    expect(totals).toEqual({ sent: 1 })
    for (const query of ['metrics=sent', 'metrics=sent&dimensions=email', `metrics=sent&email_id=${email}`])
      expect((await acme.get(`/emails/metrics?${MARCH}&${query}`)).body.totals, query).toEqual({ sent: 1 })
    // Nor is the same thing counted again when it happens after its first time was swept.
    await happen(app.db, acme.team, { about: email, at: '2026-03-11T10:00:00Z' })
    expect((await acme.get(`/emails/metrics?${MARCH}&metrics=sent`)).body.totals).toEqual({ sent: 1 })
  })
})

describe('counting', () => {
  test('is done for every team in the background', async () => {
    const { app, acme } = await startAcme()
    const globex = await app.as('globex')
    await happenOften(app.db, acme.team, 6_000)
    await happenOften(app.db, globex.team, 3)

    await foldMetrics.run({}, { db: app.db, signal: new AbortController().signal } as never)

    expect(await counted(app, acme)).toMatchObject({ sent: 6_000, uncounted: 0 })
    expect(await counted(app, globex)).toMatchObject({ sent: 3, uncounted: 0 })
  })

  test('takes what one statement has written as one, a hundred events at a time', async () => {
    const { app, acme } = await startAcme()
    await happenOften(app.db, acme.team, 250)
    await happen(app.db, acme.team)

    const batches = await app.db.query<{ events: number | null }>(sql`
      select cardinality(event_ids) as events from uncounted_batches where team_id = ${acme.team} order by 1`)
    await foldEvents(app.db, acme.team, ALL)

    expect(batches.map(({ events }) => events)).toEqual([50, 100, 100, null])
    expect(await counted(app, acme)).toMatchObject({ sent: 251, uncounted: 0 })
  })

  test('is finished before a question is answered, or the answer says how far it is', async () => {
    const { app, acme } = await startAcme()
    const ask = async () => (await acme.get(`/emails/metrics?${MARCH}&metrics=sent`)).body
    await happenOften(app.db, acme.team, 12_000)

    const first = await ask()
    const second = await ask()

    expect(first).toMatchObject({ totals: { sent: 10_000 }, counted_until: expect.stringMatching(/^2026-03-\d\dT/) })
    expect(second.totals).toEqual({ sent: 12_000 })
    expect(second).not.toHaveProperty('counted_until')
  })

  test('finds what it knows by its key, also for a team that the statistics have not seen', async () => {
    const { app, acme } = await startAcme()
    const globex = await app.as('globex')
    await happenOften(app.db, acme.team, 2_000)
    await foldEvents(app.db, acme.team, ALL)
    await app.db.query(sql`analyze outbox, metric_facts`)

    const plan = await app.db.query<{ 'QUERY PLAN': string }>(
      sql`explain ${foldStatement(globex.team, Array.from({ length: 100 }, newId))}`,
    )

    const indexes = plan.flatMap(
      (line) => /using (outbox|metric_facts)_\w+_(\w+) on /.exec(line['QUERY PLAN'])?.slice(1).join(' ') ?? [],
    )
    expect(new Set(indexes)).toEqual(new Set(['outbox pkey', 'metric_facts pkey']))
  })

  test('knows the domain that received mail came to, and who unsubscribed', async () => {
    const { app, acme } = await startAcme()
    const domain = await addVerifiedDomain(app, acme, 'fold.dev')
    const received = { email_id: newId(), received_for: ['Hello@Fold.dev'] }
    await happen(app.db, acme.team, { type: 'email.received', about: null, data: received })
    await happen(app.db, acme.team, { type: 'email.received', about: null, data: { email_id: newId() } })
    await happen(app.db, acme.team, { type: 'email.unsubscribed' })

    const { body } = await acme.get(`/emails/metrics?${MARCH}&metrics=received,unsubscribed&dimensions=domain`)

    expect(body.data).toEqual([
      { domain_id: domain, domain_name: 'fold.dev', received: 1, unsubscribed: 0 },
      { received: 1, unsubscribed: 1 },
    ])
  })
})
