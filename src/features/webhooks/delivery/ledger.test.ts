import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { openBackend } from '../../../../test/harness/backends.ts'
import { makeGate } from '../../../../test/harness/gate.ts'
import { addWebhook, attemptsOf, happen, startWithReceiver, statuses } from '../../../../test/harness/webhooks.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { fanOut } from './fan-out.ts'
import { releaseHeldBy } from './queries.ts'
import { readWebhookQueue } from './queue-state.ts'

/** One event under way: the receiver has it, and answers when the gate opens. */
async function startUnderWay() {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const gate = makeGate()
  receiver.answer(async (response) => {
    await gate.opened
    response.end('at last')
  })
  const [event] = await happen(app, acme)
  const delivered = app.deliverWebhooks()
  await receiver.reached(1)
  return { app, acme, receiver, webhook: id, event: event!, gate, delivered }
}

describe('while an event is under way', () => {
  test('nobody else takes it, and the log says so', async () => {
    const { app, acme, receiver, webhook, event, gate, delivered } = await startUnderWay()
    const other = await startApp()

    await other.deliverWebhooks()
    const meanwhile = await statuses(acme, webhook)
    gate.open()
    await delivered
    await app.deliverWebhooks()

    expect(meanwhile).toEqual({ [event]: 'attempting' })
    expect(await statuses(acme, webhook)).toEqual({ [event]: 'success' })
    expect(receiver.received).toHaveLength(1)
  })

  test('and its process is called dead, another worker tells it again under the same id, and both attempts are kept', async () => {
    const { app, acme, receiver, webhook, event, gate, delivered } = await startUnderWay()
    const other = await startApp()
    await releaseHeldBy(other.db, [app.db.presence.node])
    other.clock.advance(1)
    receiver.fail()

    await other.deliverWebhooks()
    // Whose attempt is the later one: the worker that was called dead learns of the answer after all.
    app.clock.advance((other.clock.now().getTime() - app.clock.now().getTime() + 1) / 1_000)
    gate.open()
    await delivered

    // The late worker has written down its attempt, and left the rest to the one who has had it since.
    expect(receiver.received.map(({ id }) => id)).toEqual([event, event])
    expect((await attemptsOf(acme, webhook, event)).map((attempt) => attempt.http_status_code)).toEqual([200, 500])
    expect(await statuses(acme, webhook)).toEqual({ [event]: 'pending' })
  })

  test('and the process stops, it is given back for another one', async () => {
    const { app, acme, receiver, webhook, event, gate } = await startUnderWay()
    const other = await startApp()

    await app.webhooks.stop(10)
    const given = await statuses(acme, webhook)
    receiver.succeed()
    other.clock.advance(1)
    await other.deliverWebhooks()
    gate.open()

    expect(given).toEqual({ [event]: 'pending' })
    expect(await statuses(acme, webhook)).toEqual({ [event]: 'success' })
    expect(receiver.received.map(({ id }) => id)).toEqual([event, event])
  })

  test('and its process is gone, another one takes it over', async () => {
    const { app, acme, receiver, webhook, event, gate, delivered } = await startUnderWay()
    const other = await startApp()
    receiver.succeed()
    await app.db.presence.close()

    other.clock.advance(1)
    await other.webhooks.start()
    await app.until(async () => (await statuses(acme, webhook))[event] === 'success')
    gate.open()
    await delivered

    expect(receiver.received.map(({ id }) => id)).toEqual([event, event])
  })
})

test('an answer that was heard is written down when the database is back', async () => {
  const { app, acme, receiver, webhook, event, gate, delivered } = await startUnderWay()
  const backend = await openBackend()
  await backend.hold('lock table webhook_deliveries in exclusive mode')
  gate.open()
  await backend.terminate(await backend.waiters())
  await backend.release()

  await delivered

  expect(await statuses(acme, webhook)).toEqual({ [event]: 'success' })
  expect(await attemptsOf(acme, webhook, event)).toHaveLength(1)
  expect(receiver.received).toHaveLength(1)
  expect(app.db.load.waiting).toBe(0)
})

test('a webhook that is deleted is not told of what was on its way to it', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  receiver.fail()
  await happen(app, acme, 3)
  await app.deliverWebhooks()

  await acme.delete(`/webhooks/${id}`)
  app.clock.advance(60)
  await app.deliverWebhooks()

  expect(receiver.received).toHaveLength(3)
})

test('more endpoints than fit into one claim take turns', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const paths = Array.from({ length: 60 }, (_, n) => `/${n}`)
  for (const path of paths) await addWebhook(acme, `${receiver.url}${path}`)
  const events = await happen(app, acme, 6)

  await app.deliverWebhooks()

  expect(receiver.received).toHaveLength(360)
  for (const path of paths)
    expect(
      receiver
        .at(path)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(events)
})

test('the metrics tell what is on its way', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, receiver.url)
  receiver.fail()
  await happen(app, acme, 2)
  await app.deliverWebhooks()

  const metrics = await app.metrics.render()

  expect(metrics).toContain('postwren_webhook_deliveries{state="later"} 2\n')
  expect(metrics).toContain('postwren_webhook_deliveries_oldest_due_seconds 0\n')
  expect(metrics).toContain('postwren_webhook_outcomes_total{outcome="retried"} 2\n')
  expect(await app.db.query(sql`select 1 from webhook_deliveries where holder is not null`)).toEqual([])
})

test('the metrics tell for how long events have been waiting', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  await happen(app, acme, 3)
  app.clock.advance(1)
  const noted = await readWebhookQueue(app.db)
  await fanOut(app.db, app.clock.now())
  await app.db.query(
    sql`update webhook_deliveries set due_at = ${app.clock.now()}::timestamptz - interval '90 s' where webhook_id = ${id}`,
  )
  await app.db.query(sql`update webhook_deliveries set holder = 7 where webhook_id = ${id} and event_id in (
    select event_id from webhook_deliveries where webhook_id = ${id} limit 1)`)

  const due = await readWebhookQueue(app.db)
  await acme.patch(`/webhooks/${id}`, { status: 'disabled' })
  const disabled = await readWebhookQueue(app.db)

  expect(noted).toMatchObject({ noted: 3, due: 0, later: 0, held: 0 })
  expect(noted.oldestDueSeconds).toBeGreaterThan(0)
  expect(due).toMatchObject({ noted: 0, due: 2, later: 0, held: 1 })
  expect(due.oldestDueSeconds).toBeGreaterThanOrEqual(90)
  expect(disabled).toMatchObject({ due: 0, oldestDueSeconds: 0 })
})
