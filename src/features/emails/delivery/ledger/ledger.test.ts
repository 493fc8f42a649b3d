import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../../../../../test/harness/app.ts'
import { emptyLedger, readEmail, sendEmail, startAcme } from '../../../../../test/harness/emails.ts'
import { makeGate } from '../../../../../test/harness/gate.ts'
import { suspend, unsuspend } from '../../../../../test/harness/operators.ts'
import { DELIVERED, scriptedTransport } from '../../../../../test/harness/transport.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../../kernel/db/sql.ts'
import { Broadcasts } from '../message/broadcasts.ts'
import { Settler } from '../outcomes/settle.ts'
import type { Verdict } from '../outcomes/verdict.ts'
import { loadEmails } from './load.ts'
import { type Claimed, claimDue, claimParked, releaseHeldBy, releaseUnknown, settleAll } from './queries.ts'
import { holdSuspended, resumeHeld } from './set-aside.ts'

const YES: Verdict = { kind: 'delivered', reply: '250 2.0.0 Ok' }
const QUEUE = { destination: 'mx.example.com', priority: 0 }
const LATER: Verdict = { kind: 'postponed', seconds: 30 }

/** An empty ledger, and the two halves of a worker apart: what it claims, and what it settles. */
async function start() {
  const { app, acme } = await startAcme()
  await emptyLedger(app)
  const settler = new Settler(app.db, app.clock)
  return {
    app,
    acme,
    claim: (limit = 100, priority = 0) =>
      claimDue(app.db, {
        node: app.db.presence.node,
        now: app.clock.now(),
        of: [{ priority, limit, since: null }],
      }),
    /** As when this node was called dead. */
    takeOver: () => releaseHeldBy(app.db, [app.db.presence.node]),
    async settle(row: Claimed, verdict: Verdict) {
      const [email] = await loadEmails(app.db, [row], new Broadcasts(app.db))
      await settler.settle({ email: email!, verdicts: [{ row, verdict }] })
    },
  }
}

async function rowOf(db: Database, { team }: Client, email: string) {
  const [row] = await db.query<{
    state: string
    attempts: number
    holder: number | null
    due_at: Date
    replies: object[]
  }>(
    sql`select state, attempts, holder, due_at, replies from deliveries where team_id = ${team} and email_id = ${email}`,
  )
  return row!
}

describe('a claim', () => {
  test('takes what is due, and nobody else gets it as long as its node lives', async () => {
    const { app, acme, claim, takeOver } = await start()
    const due = await sendEmail(acme)
    await sendEmail(acme, { scheduled_at: 'in 1 hour' })

    const claimed = await claim()
    app.clock.advance(3_000)
    const meanwhile = await claim()
    await takeOver()
    const afterwards = await claim()

    expect(claimed).toMatchObject([{ emailId: due, recipient: 'ada@example.com', attempts: 1, isUnanswered: true }])
    expect(meanwhile).toEqual([])
    expect(afterwards).toMatchObject([{ emailId: due, attempts: 1, isUnanswered: true }])
  })

  test('takes what has waited longest, and no more than it can carry', async () => {
    const { app, acme, claim } = await start()
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      ids.push(await sendEmail(acme))
      app.clock.advance(1)
    }

    const claimed = [...(await claim(2)), ...(await claim(2)), ...(await claim(2))]

    expect(claimed.map(({ emailId }) => emailId)).toEqual(ids)
  })

  test('takes urgent mail also when older mail would fill it', async () => {
    const gate = makeGate()
    onTestFinished(() => gate.open())
    // Older mail ends only after urgent mail has left: a claim that is full of older mail would wait for ever. A busy machine claims less at once.
    const world = scriptedTransport(async (recipient) => {
      if (recipient.startsWith('news')) await gate.opened
      else gate.open()
      return DELIVERED
    })
    const { app, acme } = await startAcme({}, { transport: world.transport })
    await emptyLedger(app)
    // A node whose heartbeats are late, as on a starved machine, claims too little for both.
    const share = vi.spyOn(app.db.presence, 'claimShare', 'get').mockReturnValue(1)
    onTestFinished(() => share.mockRestore())
    const newsletter = Array.from({ length: 50 }, (_, n) => `news${n}@example.com`)
    for (let n = 0; n < 2; n++) await sendEmail(acme, { to: newsletter })
    await app.db.query(sql`update deliveries set priority = 1 where team_id = ${acme.team}`)
    app.clock.advance(60)
    for (const field of ['a', 'b']) await sendEmail(acme, { to: newsletter.map((address) => `${field}-${address}`) })

    await app.deliverDue()

    expect(world.sent).toHaveLength(200)
  })
})

describe('a claim whose answer got lost', () => {
  test('is given back by its own node, and nothing else is', async () => {
    const { app, acme, claim } = await start()
    const known = await sendEmail(acme)
    const [inHand] = await claim()
    const lost = await sendEmail(acme)
    await claim()

    const released = await releaseUnknown(app.db, app.db.presence.node, [inHand!])

    expect(released).toBe(1)
    expect(await rowOf(app.db, acme, lost)).toMatchObject({ holder: null, attempts: 0 })
    expect(await rowOf(app.db, acme, known)).toMatchObject({ holder: app.db.presence.node, attempts: 0 })
  })
})

describe('parked mail that was fetched and comes back untried', () => {
  type Started = Awaited<ReturnType<typeof start>>
  test.each<[string, (started: Started, row: Claimed) => Promise<unknown>]>([
    ['since its process died', ({ takeOver }) => takeOver()],
    ['since the claim got lost', ({ app: { db } }) => releaseUnknown(db, db.presence.node, [])],
    ['since its process stops', ({ settle }, row) => settle(row, { kind: 'postponed', seconds: 0 })],
    [
      'since its team was suspended, and is not any more',
      async ({ app, acme }, row) => {
        await suspend(app, acme)
        expect(await holdSuspended(app.db, [row], app.clock.now())).toHaveLength(1)
        await unsuspend(app, acme)
        await resumeHeld(app.db)
      },
    ],
  ])('is due at once (%s)', async (_, comesBack) => {
    const started = await start()
    const { app, acme, claim, settle } = started
    const id = await sendEmail(acme)
    const [row] = await claim()
    await settle(row!, { kind: 'parked', queue: QUEUE, seconds: 24 * 3_600 })
    app.clock.advance(60)
    const due = await claim()
    const of = [{ queue: QUEUE, limit: 10 }]
    const [fetched] = await claimParked(app.db, { node: app.db.presence.node, of })

    await comesBack(started, fetched!)

    expect(due).toEqual([])
    expect(await claim()).toMatchObject([{ emailId: id, attempts: 1 }])
  })
})

describe('settling', () => {
  test('ends a recipient for good', async () => {
    const { app, acme, claim, settle } = await start()
    const id = await sendEmail(acme)
    const [row] = await claim()

    await settle(row!, YES)
    await settle(row!, { kind: 'failed', reason: 'too late' })

    const email = await readEmail(acme, id)
    expect(email).toMatchObject({ last_event: 'delivered', timeline: ['sent', 'delivered'] })
    expect(await rowOf(app.db, acme, id)).toMatchObject({ state: 'delivered', attempts: 1, holder: null })
  })

  test('comes to nothing when it was taken over and somebody else has the row', async () => {
    const { app, acme, claim, settle, takeOver } = await start()
    const id = await sendEmail(acme)
    const [late] = await claim()
    await takeOver()
    const [current] = await claim()

    await settle(late!, { kind: 'failed', reason: 'late' })
    const untouched = await rowOf(app.db, acme, id)
    await settle(current!, YES)

    expect(untouched).toMatchObject({ state: 'waiting', attempts: 0, holder: app.db.presence.node, replies: [] })
    expect(await readEmail(acme, id)).toMatchObject({ last_event: 'delivered', timeline: ['sent', 'delivered'] })
  })

  test('comes to nothing when another node has the row', async () => {
    const { app, acme, claim, settle } = await start()
    const id = await sendEmail(acme)
    const [row] = await claim()
    await app.db.query(sql`update deliveries set holder = -1 where team_id = ${acme.team}`)

    await settle(row!, YES)

    expect(await rowOf(app.db, acme, id)).toMatchObject({ state: 'waiting', holder: -1 })
    expect((await readEmail(acme, id)).timeline).toEqual(['sent'])
  })

  test('a second time does not touch a later claim with the same number of attempts', async () => {
    const { app, acme, claim, settle } = await start()
    const id = await sendEmail(acme)
    const [first] = await claim()
    await settle(first!, LATER)
    app.clock.advance(30)
    const [second] = await claim()

    // As when the answer to a commit got lost and the worker tries again.
    await settle(first!, LATER)

    expect(second!.attempts).toBe(first!.attempts)
    expect(await rowOf(app.db, acme, id)).toMatchObject({ holder: app.db.presence.node, due_at: second!.dueAt })
  })

  test('as postponed gives the row back untried', async () => {
    const { app, acme, claim, settle } = await start()
    const id = await sendEmail(acme)
    const [row] = await claim()

    await settle(row!, LATER)

    expect(await rowOf(app.db, acme, id)).toEqual({
      state: 'waiting',
      attempts: 0,
      holder: null,
      due_at: new Date(app.clock.now().getTime() + 30_000),
      replies: [],
    })
    expect((await readEmail(acme, id)).timeline).toEqual(['sent'])
  })
})

test('an email whose rows are gone is nobody’s problem', async () => {
  const world = scriptedTransport(async () => {
    await app.db.query(sql`delete from emails where team_id = ${acme.team}`)
    return DELIVERED
  })
  const { app, acme } = await startAcme({}, { transport: world.transport })
  await emptyLedger(app)
  await sendEmail(acme)

  await app.deliverDue()

  expect(world.sent).toHaveLength(1)
  expect((await acme.get('/emails')).body.data).toEqual([])
})

test('a settlement that is planned while tables are new finds its rows by key', async () => {
  const { app, acme, claim } = await start()
  const id = await sendEmail(acme)
  const [row] = await claim()
  let plan = ''
  const planning = app.db.transaction(async (trx) => {
    // To the planner a table that was never vacuumed has ten pages at least: as cheap to read as ten rows by key.
    await trx.query(sql`set local random_page_cost = 1.1`)
    await trx.query(sql`truncate emails, deliveries cascade`)
    await trx.query(sql`
      insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
      select ${acme.team}, gen_random_uuid(), '', '', '[]', '', 'sent', now() from generate_series(1, 20)`)
    const explaining = {
      ...trx,
      async query<Row>(statement: Sql): Promise<Row[]> {
        plan = JSON.stringify(await trx.query(sql`explain ${statement}`))
        return []
      },
    }
    const settled = { state: 'delivered', dueAt: null, reply: '250 Ok', isAttempt: true, at: app.clock.now() } as const
    const latest = [{ team: acme.team, id, event: 'delivered' }] as const
    await settleAll(explaining, [{ row: row!, ...settled }], { events: [], latest, jobs: [], relayed: [] })
    throw new Error('planned')
  })

  await expect(planning).rejects.toThrow('planned')
  expect(plan).toMatch(/emails_\w+_pkey/)
  expect(plan).not.toContain('Seq Scan')
})
