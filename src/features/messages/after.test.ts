import { describe, expect, test } from 'vitest'
import { sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { holdSteadyTime } from '../../../test/harness/steady-time.ts'
import {
  beginAndKeep,
  beginCopy,
  copyEmails,
  held,
  holdWaits,
  idle,
  idsIn,
  waitFor,
} from '../../../test/harness/waiting.ts'
import type { Transaction } from '../../kernel/db/database.ts'
import { currentSnapshot, endedBefore, endedHereBefore } from '../../kernel/db/snapshots.ts'
import { sql } from '../../kernel/db/sql.ts'
import { newId } from '../../platform/ids.ts'

describe('what came after', () => {
  test('a message are the next ones, however many share a millisecond', async () => {
    const { acme } = await startAcme()
    const sent = [await sendEmail(acme), await sendEmail(acme), await sendEmail(acme)]

    expect(idsIn(await waitFor(acme, { after: sent[0]! }))).toEqual([sent[1]])
    expect(idsIn(await waitFor(acme, { after: sent[1]! }))).toEqual([sent[2]])
    expect((await waitFor(acme, { after: sent[2]!, timeout: 0 })).body.found).toBe(false)
    expect(idsIn(await waitFor(acme, { after: sent[0]!, count: 2 }))).toEqual([sent[2], sent[1]])
  })

  test('a message are not those with greater ids, but those that came later: another process has other ids', async () => {
    const { app, acme } = await startAcme()
    const first = await sendEmail(acme)
    const smaller = `00000000${first.slice(8)}`
    await app.db.transaction((trx) => copyEmails(trx, acme.team, first, [smaller]))

    expect(idsIn(await waitFor(acme, { after: first }))).toEqual([smaller])
    expect((await waitFor(acme, { after: smaller, timeout: 0 })).body.found).toBe(false)
  })

  test('one that nobody knows are those with greater ids', async () => {
    const { app, acme } = await startAcme()
    const sent = [await sendEmail(acme), await sendEmail(acme)]
    await app.db.query(sql`update outbox set xid = null where team_id = ${acme.team}`)

    expect(idsIn(await waitFor(acme, { after: sent[0]! }))).toEqual([sent[1]])
    expect(idsIn(await waitFor(acme, { after: '00000000-0000-7000-8000-000000000000', count: 2 }))).toHaveLength(2)
    expect((await waitFor(acme, { after: newId(app.clock), timeout: 0 })).body.found).toBe(false)
  })

  test('a moment are those of this millisecond and later, in the time of the team', async () => {
    const { app, acme } = await startAcme()
    const DAY = 86_400
    app.clock.putAhead(acme.team, 30 * DAY)
    const now = app.clock.of(acme.team).now()
    const id = await sendEmail(acme)

    expect(idsIn(await waitFor(acme, { after: now.toISOString() }))).toEqual([id])
    expect((await waitFor(acme, { after: new Date(now.getTime() + 1).toISOString(), timeout: 0 })).body.found).toBe(
      false,
    )
    const waiting = waitFor(acme, { after: new Date(now.getTime() + 1_000).toISOString(), timeout: 55 })
    await held(app)
    await sendEmail(acme)
    app.clock.advance(1)
    const later = await sendEmail(acme)
    expect(idsIn(await waiting)).toEqual([later])
  })

  test('is found in whatever order transactions commit', async () => {
    const { app, acme } = await startAcme()
    const first = await sendEmail(acme)
    const { id: slow, commit } = await beginCopy(app, acme.team, first)
    const waiting = waitFor(acme, { count: 3, timeout: 55 })
    await held(app)
    const last = await sendEmail(acme)
    await app.messageWaits.look()
    commit()

    expect(idsIn(await waiting)).toEqual([last, slow, first])
  })

  test('leaves none out and has none twice, however late a transaction commits that began before', async () => {
    const { app, acme } = await startAcme()
    // Nobody loses patience with the transaction while the machine is busy.
    holdSteadyTime()
    const first = await sendEmail(acme)
    const { id: slow, commit } = await beginCopy(app, acme.team, first)
    const waiting = [
      waitFor(acme, { after: first, timeout: 55 }),
      waitFor(acme, { after: first, timeout: 55, absent: 'true' }),
    ]
    await held(app, 2)
    const last = await sendEmail(acme)
    await app.messageWaits.look()
    // The newest is told of as late as what goes before it.
    const newest = waitFor(acme, { timeout: 0 })
    commit()

    expect((await Promise.all(waiting)).map(idsIn)).toEqual([[slow], [slow]])
    expect(idsIn(await newest)).toEqual([last])
    expect(idsIn(await waitFor(acme, { after: slow, timeout: 0 }))).toEqual([last])
    expect(idsIn(await waitFor(acme, { after: last, timeout: 0 }))).toEqual([])
  })

  // Two seconds: so long is waited for a transaction.
  test('is not held up by one that does not end, which is found all the same', async () => {
    const { app, acme } = await startAcme()
    const first = await sendEmail(acme)
    const { id: slow, commit } = await beginCopy(app, acme.team, first)
    const last = await sendEmail(acme)

    expect(idsIn(await waitFor(acme, { after: first, timeout: 0 }))).toEqual([last])
    const waiting = waitFor(acme, { after: last, timeout: 55 })
    const absent = waitFor(acme, { after: last, absent: 'true', timeout: 55 })
    await held(app, 2)
    commit()

    expect(idsIn(await waiting)).toEqual([slow])
    expect(idsIn(await absent)).toEqual([slow])
  })

  test('is not held up by transactions of others on the same server', async () => {
    const { app, acme } = await startAcme()
    const first = await sendEmail(acme)
    const numberOf = async (trx: Transaction) => {
      const [row] = await trx.query<{ xid: string }>(sql`select pg_current_xact_id()::text as xid`)
      return BigInt(row!.xid)
    }
    // It has a number and no lock on a table here, as one of another database has.
    const gate = makeGate()
    const [other, otherEnded] = await beginAndKeep(app, gate.opened, numberOf)
    const [own, ownEnded] = await beginAndKeep(app, gate.opened, async (trx) => {
      await copyEmails(trx, acme.team, first, [newId(app.clock.of(acme.team))])
      return numberOf(trx)
    })
    await sendEmail(acme)

    expect(endedBefore(await currentSnapshot(app.db))).toBeLessThanOrEqual(other)
    expect(own).toBeGreaterThan(other)
    await expect.poll(() => endedHereBefore(app.db)).toBe(own)
    gate.open()
    await Promise.all([otherEnded, ownEnded])
    await expect.poll(() => endedHereBefore(app.db)).toBeGreaterThan(own)
  })

  test('a moment is told by the same of what is there and of what comes', async () => {
    const { app, acme } = await startAcme()
    const first = await sendEmail(acme)
    app.clock.advance(10)
    const after = app.clock.of(acme.team).now().toISOString()
    const waiting = waitFor(acme, { after, timeout: 55 })
    await held(app)
    await idle(app)

    // Says that it is as old as what it is a copy of.
    const id = newId(app.clock.of(acme.team))
    await app.db.transaction((trx) => copyEmails(trx, acme.team, first, [id]))

    expect(idsIn(await waiting)).toEqual([id])
    expect(idsIn(await waitFor(acme, { after, timeout: 0 }))).toEqual([id])
  })
})

// Something goes wrong that was all right when they began.
describe('who cannot look', () => {
  test('does not say that nothing came', async () => {
    const { app, acme } = await startAcme()
    const waits = holdWaits(app)
    const waiting = ['false', 'true'].map((absent) => waitFor(acme, { absent }))
    await waits.held(2)
    await idle(app)
    await app.db.query(sql`alter table outbox rename column xid to away`)
    waits.end()

    try {
      for (const reply of await Promise.all(waiting))
        expect(reply).toMatchObject({
          status: 503,
          headers: { 'retry-after': '1' },
          body: { name: 'service_unavailable' },
        })
    } finally {
      await app.db.query(sql`alter table outbox rename column away to xid`)
    }
  })

  test('does not say so either when a flood was to be looked through again', async () => {
    const { app, acme } = await startAcme()
    const first = await sendEmail(acme)
    const after = app.clock.of(acme.team).now().toISOString()
    const waits = holdWaits(app)
    const waiting = waitFor(acme, { subject: 'needle', after })
    await waits.held()
    await idle(app)

    try {
      await app.db.transaction(async (trx) => {
        const ids = Array.from({ length: 500 }, () => newId(trx.clock.of(acme.team)))
        await copyEmails(trx, acme.team, first, ids)
        // Who looks for what is there needs it, and who is told of what came does not.
        await trx.query(sql`alter table outbox rename column data to away`)
      })
      waits.end()
      expect((await waiting).status).toBe(503)
    } finally {
      await app.db.query(sql`alter table outbox rename column away to data`)
    }
  })
})
