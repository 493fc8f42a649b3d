import { expect, test } from 'vitest'
import { verify } from '../../../../test/harness/receiver.ts'
import { addWebhook, attemptsOf, happen, startWithReceiver } from '../../../../test/harness/webhooks.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { fanOut } from './fan-out.ts'
import { MAX_CLAIMED_BYTES, MAX_EVENT_BYTES } from './large-events.ts'
import { claimDue } from './queries.ts'

const enlarge = (app: Awaited<ReturnType<typeof startWithReceiver>>['app'], message: string, bytes: number) =>
  app.db.query(sql`
    update outbox set data = json_build_object('said', repeat('x', ${bytes})) where id = ${message.slice('msg_'.length)}`)

test('an event that is large is not in flight before its turn, and arrives whole', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { secret } = await addWebhook(acme, receiver.url)
  const [small, large] = (await happen(app, acme, 2)) as [string, string]
  await enlarge(app, large, MAX_CLAIMED_BYTES)

  await app.deliverWebhooks()

  expect(receiver.received.map(({ id }) => id).sort()).toEqual([small, large].sort())
  const post = receiver.received.find(({ id }) => id === large)!
  expect(verify(post, secret)).toMatchObject({ data: { said: 'x'.repeat(MAX_CLAIMED_BYTES) } })
})

test('a claim brings the sizes of large events, not their content', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const [large] = await happen(app, acme)
  await enlarge(app, large!, 1_000_000)
  await fanOut(app.db, app.clock.now())

  const claimed = await claimDue(app.db, {
    node: app.db.presence.node,
    now: app.clock.now(),
    webhooks: [{ webhookId: id, since: null }],
    slots: [],
    isOfLateEvents: false,
    except: [],
    otherSlots: 5,
  })

  expect(claimed).toMatchObject([{ data: null, bytes: expect.any(Number) }])
  expect(claimed[0]!.bytes).toBeGreaterThan(1_000_000)
})

test('one that is too large to be told fails with the reason', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const [huge] = await happen(app, acme)
  await enlarge(app, huge!, MAX_EVENT_BYTES)

  await app.deliverWebhooks()

  expect(receiver.received).toEqual([])
  expect(JSON.stringify(await attemptsOf(acme, id, huge!))).toContain('the event has more than 8 MB')
})
