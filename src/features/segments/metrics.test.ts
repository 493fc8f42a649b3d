import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { newId } from '../../../test/harness/ids.ts'

/** Two segments: Ada is in both, Bob has unsubscribed, Cleo is in none. */
async function start() {
  const app = await startApp()
  const acme = await app.as('acme')
  const [first, second] = await Promise.all(
    ['Early', 'Late'].map(async (name) => (await acme.post('/segments', { name })).body.id as string),
  )
  for (const contact of [
    { email: 'ada@readers.dev', segments: [first, second] },
    { email: 'bob@readers.dev', segments: [first], unsubscribed: true },
    { email: 'cleo@readers.dev' },
  ])
    expect((await acme.post('/contacts', contact)).status).toBe(201)
  return { app, acme, first: first!, second: second! }
}

test('a contact of two segments counts once in the totals', async () => {
  const { acme } = await start()

  expect((await acme.get('/segments/metrics')).body).toEqual({
    object: 'segments_metrics',
    metrics: ['all_contacts', 'subscribers', 'unsubscribers'],
    ...{ dimensions: [], sort_by: 'date', sort_order: 'desc' },
    totals: { all_contacts: 2, subscribers: 1, unsubscribers: 1 },
  })
})

test('by segment, in the order that is asked for', async () => {
  const { acme, first, second } = await start()
  const ask = async (query: string) => (await acme.get(`/segments/metrics?dimensions=segment&${query}`)).body

  const bySize = await ask('sort_by=metric&sort_order=asc&metrics=all_contacts')
  expect(bySize).toMatchObject({ totals: { all_contacts: 2 }, sort_by: 'metric', sort_order: 'asc' })
  expect(bySize.data).toEqual([
    { segment_id: second, segment_name: 'Late', all_contacts: 1 },
    { segment_id: first, segment_name: 'Early', all_contacts: 2 },
  ])
  for (const query of [
    `segment_id=${second}`,
    `segment_id=${second},${newId()}`,
    `segment_id=${second}&segment_id=${second}`,
  ])
    expect(await ask(query)).toMatchObject({
      totals: { all_contacts: 1, subscribers: 1, unsubscribers: 0 },
      data: [{ segment_id: second, all_contacts: 1 }],
    })
})

test.each(['metrics=x', 'dimensions=period', 'sort_by=name', 'sort_order=up', 'segment_id=1'])(
  '%s is refused',
  async (query) => {
    const { acme } = await start()

    expect((await acme.get(`/segments/metrics?${query}`)).status).toBe(422)
  },
)

test('another team has its own', async () => {
  const { app, first } = await start()
  const globex = await app.as('globex')

  const { body } = await globex.get(`/segments/metrics?dimensions=segment&segment_id=${first}`)
  expect(body).toMatchObject({ totals: { all_contacts: 0, subscribers: 0, unsubscribers: 0 }, data: [] })
})
