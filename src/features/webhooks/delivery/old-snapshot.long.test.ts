import { expect, onTestFinished, test, vi } from 'vitest'
import { openBackend } from '../../../../test/harness/backends.ts'
import { readBuffers } from '../../../../test/harness/buffers.ts'
import { addWebhook, happen, startWithReceiver } from '../../../../test/harness/webhooks.ts'
import { raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import { OUTBOX_CHANNEL } from '../../../kernel/outbox/record.ts'
import { firstIdAt } from '../../../platform/ids.ts'
import { fanOut } from './fan-out.ts'
import { WEBHOOKS_CHANNEL } from './queries.ts'

const DEAD = 10_000
const EVENTS = 60

test('what was claimed is not walked through again while somebody holds an old snapshot', async () => {
  let sent = 0
  const http = {
    send: async () => {
      sent += 1
      return { kind: 'answered', status: 200, headers: {}, body: Buffer.alloc(0) } as const
    },
    close: async () => {},
  }
  const { app, acme } = await startWithReceiver({ http })
  const { id } = await addWebhook(acme, 'https://example.com/hook')
  const backend = await openBackend()
  onTestFinished(async () => void (await backend.release()))
  const statements: { claims: Sql[]; fanOuts: Sql[] } = { claims: [], fanOuts: [] }
  const queryPooled = app.db.queryPooled.bind(app.db)
  const unwatched = { queryPooled } as typeof app.db
  vi.spyOn(app.db, 'queryPooled').mockImplementation((statement) => {
    const { text } = statement.toQuery()
    if (text.includes('update webhook_deliveries d set holder')) statements.claims.push(statement)
    if (text.includes('delete from webhook_fan_outs')) statements.fanOuts.push(statement)
    return queryPooled(statement)
  })
  const isSettled = async () => {
    const [row] = await app.db.query<{ left: number }>(sql`
      select ((select count(*) from webhook_deliveries where due_at is not null)
        + (select count(*) from webhook_batches))::int as left`)
    return row!.left === 0
  }
  /** Some are claimed as they are fanned out, some later. */
  const deliver = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      app.clock.advance(10)
      const goal = sent + 2 * EVENTS
      await happen(app, acme, EVENTS)
      app.db.signals.announce(OUTBOX_CHANNEL)
      await app.until(async () => sent >= goal - EVENTS && (await isSettled()), 60_000)
      await happen(app, acme, EVENTS)
      await fanOut(unwatched, app.clock.now())
      app.db.signals.announce(WEBHOOKS_CHANNEL)
      await app.until(async () => sent >= goal && (await isSettled()), 60_000)
    }
  }
  // A sweep is one of the five at the most: what the others read is what a claim costs.
  const cost = async (of: readonly Sql[]) =>
    Math.min(...(await Promise.all(of.slice(-5).map((one) => readBuffers(app.db, one)))))

  /** As if so many more had been noted, claimed and settled a minute ago. */
  const leaveBehind = () =>
    app.db.transaction(async (trx) => {
      const at = new Date(app.clock.now().getTime() - 60_000)
      await trx.query(sql`
      insert into webhook_fan_outs (team_id, event_id)
      select ${acme.team}, (left(${firstIdAt(at)}, 24) || lpad(to_hex(n), 12, '0'))::uuid from generate_series(1, ${DEAD}) n`)
      await trx.query(sql`
      insert into webhook_deliveries (team_id, webhook_id, event_id, next_attempt_at, due_at)
      select ${acme.team}, ${id}, gen_random_uuid(), ${at}, ${at}::timestamptz + n * interval '1 ms' from generate_series(1, ${DEAD}) n`)
      await trx.query(sql`delete from webhook_fan_outs where event_id < ${firstIdAt(app.clock.now())}`)
      await trx.query(sql`
      update webhook_deliveries set due_at = null, next_attempt_at = null, state = 'success' where due_at is not null`)
    })

  await leaveBehind()
  for (const table of ['webhook_fan_outs', 'webhook_deliveries']) await app.db.query(raw(`vacuum ${table}`))
  await app.webhooks.start()
  await deliver(2)
  const before = { claim: await cost(statements.claims), fanOut: await cost(statements.fanOuts) }
  await backend.hold('set transaction isolation level repeatable read')
  await backend.wantToo('select from teams')
  await leaveBehind()
  await deliver(2)
  const after = { claim: await cost(statements.claims), fanOut: await cost(statements.fanOuts) }

  // Some pages more for an index that has grown. To walk through what was left behind would be hundreds.
  expect(after.claim).toBeLessThan(2 * before.claim + 20)
  expect(after.fanOut).toBeLessThan(2 * before.fanOut + 20)
})
