import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dataFolder, isDatabaseRunning, Service, temporaryFolder } from '../harness/service.ts'

/** `npm start` as a user types it in the checkout. */
const NPM_START = { command: ['npm', 'start'], isForeground: true }

test('the second `npm start` neither installs nor builds, and finds what the first one left', async () => {
  const dataDir = dataFolder()

  const first = await Service.start({ ...NPM_START, dataDir })
  await first.call('POST', '/contacts', { email: 'ada@example.com' })
  first.signalGroup('SIGINT')
  await first.ended()
  const second = await Service.start({ ...NPM_START, dataDir })

  expect(second.stdout + second.stderr).not.toMatch(/install|build/i)
  expect((await second.call('GET', '/contacts/ada@example.com')).status).toBe(200)
})

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  test('sent to npm alone ends the service and its database, with 0', async () => {
    const service = await Service.start({ ...NPM_START, dataDir: dataFolder() })

    service.signal(signal)

    expect(await service.ended()).toBe(0)
    expect(await isDatabaseRunning(service.dataDir)).toBe(false)
    expect(service.stderr).toContain('PostgreSQL stopped')
  })

  test('sent to npm and all below it, as a terminal does, ends them cleanly, with 0', async () => {
    const service = await Service.start({ ...NPM_START, dataDir: dataFolder() })

    service.signalGroup(signal)

    expect(await service.ended()).toBe(0)
    expect(await isDatabaseRunning(service.dataDir)).toBe(false)
    expect(service.stderr).toContain('PostgreSQL stopped')
  })
})

test('a wrong setting makes npm end with 1 and shows the line that names it', async () => {
  const service = await Service.launch({ ...NPM_START, settings: { POSTWREN_PORT: 'abc' } })

  expect(await service.ended()).toBe(1)
  expect(service.complaints).toContainEqual(expect.stringMatching(/^POSTWREN_PORT must be/))
})

test.runIf(process.getuid?.() === 0)("root can start it in a folder of root's that nobody else may enter", async () => {
  const dataDir = join(temporaryFolder({ mode: 0o700 }), 'data')

  const service = await Service.start({ ...NPM_START, dataDir })

  expect((await service.call('POST', '/contacts', { email: 'ada@example.com' })).status).toBe(201)
  expect(statSync(join(dataDir, 'postgres')).uid).toBe(0)
})
