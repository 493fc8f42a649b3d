import { expect, onTestFinished, test, vi } from 'vitest'
import { broadcastTo, copiesOf, makeManyContacts, readBroadcast } from '../../../../../test/harness/broadcasts.ts'
import { emptyLedger, readEmail, sendEmail, startAcme } from '../../../../../test/harness/emails.ts'
import { makeGate } from '../../../../../test/harness/gate.ts'
import { DELIVERED, scriptedTransport } from '../../../../../test/harness/transport.ts'

test('a password reset leaves at once while a newsletter fills all hands, and the newsletter goes on after', async () => {
  const gate = makeGate()
  const world = scriptedTransport(async (recipient) => {
    if (recipient.startsWith('user')) await gate.opened
    return DELIVERED
  })
  const { app, acme } = await startAcme({}, { transport: world.transport })
  await emptyLedger(app)
  const id = await broadcastTo(acme, await makeManyContacts(app, acme, 1_500))
  await app.runDueJobs()
  // What is in flight for five seconds makes room for more: here it is not, however long all this takes.
  const time = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => time.mockRestore())
  await app.delivery.start()

  // As many as a worker takes of a newsletter: none of them comes back before the gate opens.
  await world.reached(800)
  const resets: string[] = []
  for (let n = 0; n < 3; n++) resets.push(await sendEmail(acme, { to: `reset${n}@example.com` }))
  for (const reset of resets)
    await app.until(async () => expect((await readEmail(acme, reset)).last_event).toBe('delivered'))
  const inHand = world.sent.filter(({ recipient }) => recipient.startsWith('user')).length
  time.mockRestore()
  gate.open()

  expect(inHand).toBe(800)
  await world.reached(1_503)
  expect(world.sent).toHaveLength(1_503)
  const states = async () => new Set((await copiesOf(app, acme, id)).map(({ state }) => state))
  await app.until(async () => expect(await states()).toEqual(new Set(['delivered'])))
  app.clock.advance(1)
  await app.runDueJobs()
  expect((await readBroadcast(acme, id)).status).toBe('sent')
})
