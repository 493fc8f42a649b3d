import { expect, test, vi } from 'vitest'
import { seededRandom } from '../harness/random.ts'
import { startReceiver, verify } from '../harness/receiver.ts'
import { dataFolder, eventually, Service } from '../harness/service.ts'

vi.setConfig({ testTimeout: 120_000 })

const TOPICS = 40
const ROUNDS = 3

test('kill -9 of workers under load: every event is told, and one that is told twice keeps its id', async () => {
  const random = seededRandom()
  const receiver = await startReceiver()
  // Slow enough that there is always something under way.
  receiver.answer((response) => setTimeout(() => response.end(), 20))
  const settings = { POSTWREN_RATE_LIMIT: '0', POSTWREN_API_KEY: 're_key_of_the_crash_test' }
  const dataDir = dataFolder({ isDurable: true })
  const start = (roles: string) => Service.start({ dataDir, settings: { ...settings, POSTWREN_ROLES: roles } })
  const api = await start('api')
  const workers = [await start('jobs'), await start('jobs')]
  const { body: webhook } = await api.call('POST', '/webhooks', { endpoint: receiver.url, events: ['topic.created'] })

  const made: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (let n = 0; n < TOPICS; n++) made.push((await api.call('POST', '/topics', { name: `Topic ${n}` })).body.id)
    const index = random.below(2)
    await receiver.until(() => receiver.received.length > round * TOPICS + random.below(TOPICS / 2))
    await workers[index]!.kill()
    workers[index] = await start('jobs')
  }
  const told = () => new Set(receiver.received.map(({ event }) => event.data.id as string))
  await receiver.until(() => told().size === made.length, 60_000)

  expect([...told()].sort()).toEqual(made.sort())
  const idOf = new Map(receiver.received.map(({ event, id }) => [event.data.id, id]))
  for (const post of receiver.received) {
    expect(post.id).toBe(idOf.get(post.event.data.id))
    verify(post, webhook.signing_secret)
  }
  // What the dead workers had posted and not yet written down: no more than a lane of an endpoint that is well holds.
  expect(receiver.received.length - made.length).toBeLessThanOrEqual(ROUNDS * 50)
  await eventually(async () => {
    const { body } = await api.call('GET', `/webhooks/${webhook.id}/events?limit=100`)
    return body.data.every(({ status }: { status: string }) => status === 'success')
  })
})
