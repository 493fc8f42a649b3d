import { expect, onTestFinished, test, vi } from 'vitest'
import { seededRandom } from '../harness/random.ts'
import { dataFolder, isDatabaseRunning, killDatabase, Service } from '../harness/service.ts'
import { startWriters } from '../harness/writers.ts'

vi.setConfig({ testTimeout: 150_000 })

const CONNECTIONS = 4

interface Contact {
  readonly id: string
  readonly email: string
}

/** What was acknowledged and is not there, or is there under another id. */
function lostOf(acknowledged: ReadonlyMap<string, string>, contacts: readonly Contact[]): string[] {
  const kept = new Map(contacts.map(({ email, id }) => [email, id]))
  return [...acknowledged].filter(([email, id]) => kept.get(email) !== id).map(([email]) => email)
}

test('kill -9 of node, of PostgreSQL and of both under load loses nothing that was acknowledged', async () => {
  const random = seededRandom()
  const settings = { POSTWREN_RATE_LIMIT: '0' }
  const dataDir = dataFolder({ isDurable: true })
  let service = await Service.start({ dataDir, settings })
  const writers = startWriters(CONNECTIONS, () => service)
  onTestFinished(() => writers.stop())

  for (const victim of random.shuffle(['node', 'postgres', 'both', 'node', 'postgres', 'both'])) {
    await writers.acknowledge(5 + random.below(60))
    const killed = [
      ...(victim === 'postgres' ? [] : [service.kill()]),
      ...(victim === 'node' ? [] : [killDatabase(dataDir)]),
    ]
    await Promise.all(killed)
    if (victim !== 'postgres') service = await Service.start({ dataDir, settings })
    await writers.acknowledge(2 * CONNECTIONS)
  }
  await writers.stop()
  const { body } = await service.call('GET', '/contacts')

  expect(lostOf(writers.acknowledged, body.data)).toEqual([])
  expect(new Set(body.data.map(({ email }: Contact) => email)).size).toBe(body.data.length)
  expect(writers.acknowledged.size).toBeGreaterThan(60)
  expect(writers.refusals.length).toBeGreaterThan(0)
  for (const { status, body } of writers.refusals) {
    const shape = { statusCode: 503, message: expect.any(String), name: 'service_unavailable' }
    expect([status, body]).toEqual([503, shape])
  }
  expect(await service.stop()).toBe(0)
  expect(await isDatabaseRunning(dataDir)).toBe(false)
})
