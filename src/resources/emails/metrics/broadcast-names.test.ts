import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { broadcastTo, makeSegment, sendAll } from '../../../../test/harness/broadcasts.ts'

test('metrics by broadcast say its name', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const segment = await makeSegment(acme, [{ email: 'ada@readers.dev' }])
  const id = await broadcastTo(acme, segment, { name: 'October news' })
  await sendAll(app)
  const day = 86_400_000
  const [start, end] = [-day, day].map((ms) => new Date(app.clock.now().getTime() + ms).toISOString())

  const reply = await acme.get(
    `/emails/metrics?metrics=sent,delivered&dimensions=broadcast&start_date=${start}&end_date=${end}`,
  )

  expect(reply.text).toContain('"broadcast_name":"October news"')
  expect(reply.text).toContain(id)
})
