import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { broadcastTo, makeSegment, sendAll } from '../../../test/harness/broadcasts.ts'

test('metrics by broadcast say its name', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const segment = await makeSegment(acme, [{ email: 'ada@readers.dev' }])
  const id = await broadcastTo(acme, segment, { name: 'October news' })
  await sendAll(app)
  // Events have the time of the database, which goes on. No answer reaches beyond now, and the app's clock has stood still meanwhile.
  app.clock.advance(3_600)

  const reply = await acme.get('/emails/metrics?metrics=sent,delivered&dimensions=broadcast')

  expect(reply.text).toContain('"broadcast_name":"October news"')
  expect(reply.text).toContain(id)
})
