import { expect, test } from 'vitest'
import { addWebhook, happen, startWithReceiver } from '../../../../test/harness/webhooks.ts'

test('a thousand events reach each of five endpoints once, in spite of one that is dead', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  receiver.answer((response, { path }) => path !== '/dead' && response.end())
  const paths = ['/1', '/2', '/3', '/4']
  for (const path of [...paths, '/dead']) await addWebhook(acme, `${receiver.url}${path}`)
  await app.webhooks.start()
  const events = await happen(app, acme, 1_000)
  app.db.signals.announce('outbox')

  const isDone = () => paths.every((path) => receiver.at(path).length >= 1_000)
  while (!isDone()) await receiver.reached(receiver.received.length + 1)

  for (const path of paths)
    expect(
      receiver
        .at(path)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(events)
  // Its five first attempts, and one at a time from then on.
  expect(receiver.at('/dead').length).toBeLessThan(200)
})
