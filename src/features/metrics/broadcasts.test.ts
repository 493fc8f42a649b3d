import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { broadcastTo, makeSegment, sendAll } from '../../../test/harness/broadcasts.ts'
import { sendEmail } from '../../../test/harness/emails.ts'

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

test('metrics of broadcasts leave out all other mail, and ignore the range for broadcasts that are named', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const segment = await makeSegment(acme, [{ email: 'ada@readers.dev' }, { email: 'bob@readers.dev' }])
  const [news, more] = [await broadcastTo(acme, segment, { name: 'News' }), await broadcastTo(acme, segment)]
  await sendEmail(acme)
  await sendAll(app)
  app.clock.advance(40 * 86_400)

  const ask = async (query: string) => (await acme.get(`/broadcasts/metrics?metrics=sent&${query}`)).body

  expect((await ask('')).totals).toEqual({ sent: 0 })
  expect((await ask(`broadcast_id=${news},${more}&dimensions=period`)).totals).toEqual({ sent: 0 })
  expect((await ask('start_date=2020-01-01')).totals).toEqual({ sent: 4 })
  const named = await ask(`broadcast_id=${news}&dimensions=broadcast`)
  expect(named).toMatchObject({ object: 'metrics', totals: { sent: 2 }, dimensions: ['broadcast'] })
  expect(named.data).toEqual([{ broadcast_id: news, broadcast_name: 'News', sent: 2 }])
  for (const query of ['dimensions=domain', 'dimensions=email'])
    expect((await acme.get(`/broadcasts/metrics?${query}`)).status, query).toBe(422)
  expect((await acme.get('/broadcasts/metrics?metrics=received')).status).toBe(422)
})
