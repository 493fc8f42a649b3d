import { expect, onTestFinished, test, vi } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { openBackend } from '../../../test/harness/backends.ts'
import { EVERYTHING } from './actor.ts'
import { AuthCache } from './auth.ts'
import { AuthThrottle } from './auth-throttle.ts'

const ask = async (app: App, token: string, address = '192.0.2.7') => {
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address }
  return (await app.send({ method: 'GET', url: '/topics?limit=1', headers })).status
}

const guess = (app: App, count: number, address?: string) =>
  Promise.all(Array.from({ length: count }, (_, n) => ask(app, `re_guess${n}_${Math.random()}`, address)))

test('who tries one key after another is told to stop, and callers with a key that was right go on', async () => {
  const throttle = new AuthThrottle(10, 1)
  const [wrong, right] = [async () => null, async () => 'acme']
  const [here, there] = ['192.0.2.7', '192.0.2.8']
  expect(await throttle.lookUp('acme', here, right)).toBe('acme')

  for (let n = 0; n < 10; n++) expect(await throttle.lookUp(`guess ${n}`, here, wrong)).toBeNull()
  await expect(throttle.lookUp('one more', here, wrong)).rejects.toMatchObject({ kind: 'rate_limit_exceeded' })

  expect(await throttle.lookUp('acme', here, right)).toBe('acme')
  await expect(throttle.lookUp('globex', here, right)).rejects.toMatchObject({ kind: 'rate_limit_exceeded' })
  expect(await throttle.lookUp('globex', there, right)).toBe('acme')
  // One that was right, and is not any more, counts as a guess from then on.
  expect(await throttle.lookUp('acme', here, wrong)).toBeNull()
  await expect(throttle.lookUp('acme', here, wrong)).rejects.toMatchObject({ kind: 'rate_limit_exceeded' })
})

test('a key that is in use is remembered, however many others there are', async () => {
  const throttle = new AuthThrottle(2, 1)
  const [wrong, right] = [async () => null, async () => 'acme']
  const use = (key: string) => throttle.lookUp(key, '192.0.2.7', right)
  await use('acme')
  for (let n = 0; n < 9_999; n++) await use(`key ${n}`)
  await use('acme')
  await use('one more')
  for (let n = 0; n < 2; n++) await throttle.lookUp(`guess ${n}`, '192.0.2.7', wrong)

  expect(await use('acme')).toBe('acme')
  await expect(use('key 0')).rejects.toMatchObject({ kind: 'rate_limit_exceeded' })
})

test('however many keys are tried from however many addresses, a few are looked up at a time', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const backend = await openBackend()
  await backend.hold('lock table api_keys in access exclusive mode')

  const asked = Array.from({ length: 40 }, (_, n) => guess(app, 2, `192.0.2.${n}`))
  await backend.waiters(3)
  expect(app.db.load.pipelined).toBeLessThanOrEqual(8)
  await backend.release()

  expect(new Set((await Promise.all(asked)).flat())).toEqual(new Set([403]))
  expect(await ask(app, acme.token)).toBe(200)
})

test('those who are nobody take no room from those who are somebody', async () => {
  const recollection = new AuthCache()
  const actor = {
    team: 't',
    identity: { kind: 'key', id: 'k' },
    permissions: EVERYTHING,
    domainId: null,
  } as const
  let lookedUp = 0
  const look = () => {
    lookedUp++
    return Promise.resolve(actor)
  }
  await recollection.recall('known', look)

  for (let n = 0; n < 20_000; n++) await recollection.recall(`unknown ${n}`, async () => null)
  // Only as long as it is trusted at all: on a slow machine the 20,000 take longer than that.
  await recollection.recall('known', look)
  await recollection.recall('known', look)

  expect(lookedUp).toBeLessThanOrEqual(2)
})

test('those who ask while somebody is looked up anew share the look-up', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const cache = new AuthCache<string>()
  let lookedUp = 0
  const look = async () => {
    lookedUp++
    return 'somebody'
  }
  await cache.recall('key', look)
  const remembered = cache.recall('key', look)
  vi.advanceTimersByTime(1_000)

  const found = await Promise.all([cache.recall('key', look), cache.recall('key', look), cache.recall('key', look)])

  expect([remembered, ...found]).toEqual(['somebody', 'somebody', 'somebody', 'somebody'])
  expect(lookedUp).toBe(2)
})
