import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { CHECKOUT, linesOf } from '../harness/program.ts'
import { dataFolder, eventually, isDatabaseRunning, Service, temporaryFolder } from '../harness/service.ts'

/** `npm start` as a user types it in the checkout. */
const NPM_START = { command: ['npm', 'start'], isForeground: true }

type Ending = (service: Service, signal: 'SIGTERM' | 'SIGINT') => void

const toNpmAlone: Ending = (service, signal) => service.signal(signal)
/** As a terminal does. */
const toAllBelowIt: Ending = (service, signal) => service.signalGroup(signal)

async function expectCleanEnd(service: Service) {
  expect(await service.ended()).toBe(0)
  expect(await isDatabaseRunning(service.dataDir)).toBe(false)
  expect(service.stderr).toContain('PostgreSQL stopped')
}

// A signal to npm alone, and one to it and all below it, ends the service and its database, cleanly and with 0.
test.each([
  { first: toAllBelowIt, second: toNpmAlone, signal: 'SIGINT' },
  { first: toNpmAlone, second: toAllBelowIt, signal: 'SIGTERM' },
] as const)(
  'the second `npm start` neither installs nor builds, and finds what the first one left when $signal ended it',
  async ({ first: end, second: endAgain, signal }) => {
    const dataDir = dataFolder()

    const first = await Service.start({ ...NPM_START, dataDir })
    await first.call('POST', '/contacts', { email: 'ada@example.com' })
    end(first, signal)
    await expectCleanEnd(first)
    const second = await Service.start({ ...NPM_START, dataDir })

    expect(second.stdout + second.stderr).not.toMatch(/install|build/i)
    expect((await second.call('GET', '/contacts/ada@example.com')).status).toBe(200)
    endAgain(second, signal)
    await expectCleanEnd(second)
  },
)

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

describe('in a checkout whose program is not built', () => {
  let checkout: string

  // With the dashboard, whose stamp is still right: names, sizes and times are those of the original.
  beforeAll(() => {
    checkout = temporaryFolder({ lifetime: 'file' })
    const copied = [
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'bin',
      'scripts',
      'migrations',
      'src',
      'dashboard',
      'testkit',
      'docs',
      'guide',
      'CHANGELOG.md',
      'SECURITY.md',
    ]
    for (const name of [...copied, 'dist-dashboard', 'dist-testing', 'dist-guide'])
      cpSync(join(CHECKOUT, name), join(checkout, name), { recursive: true, preserveTimestamps: true })
    symlinkSync(join(CHECKOUT, 'node_modules'), join(checkout, 'node_modules'))
  })

  const built = () => readdirSync(checkout).filter((name) => /^dist(?!-(?:dashboard|testing|guide)$)/.test(name))

  test('a start that is interrupted while it builds ends, and leaves nothing of the build', async () => {
    const service = await Service.launch({ ...NPM_START, cwd: checkout })
    await eventually(() => built().length === 1)

    service.signal('SIGINT')

    expect(await service.ended()).not.toBe(0)
    await eventually(() => processesOf(service).length === 0)
    expect(built()).toEqual([])
    expect(service.stderr).not.toContain('failed')
  })

  test('a build that fails says where, and npm ends with 1', async () => {
    const broken = join(temporaryFolder(), 'checkout')
    cpSync(checkout, broken, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    appendFileSync(join(broken, 'src/app/main.ts'), 'const = 1\n')

    const service = await Service.launch({ ...NPM_START, cwd: broken })

    expect(await service.ended()).toBe(1)
    expect(service.stderr).toMatch(/src\/app\/main\.ts:\d+:6: ERROR/)
    expect(service.complaints).toContain('The build failed; its own message is above.')
  })

  // The bundlers would be 320 MB in the service and a helper of 230 MB beside it.
  test('the first start says that it builds, and rests as small as any other', async () => {
    const service = await Service.start({ ...NPM_START, cwd: checkout })
    const processes = processesOf(service)
    const program = processes.find(({ command }) => command.startsWith('node scripts/start.mjs'))!

    expect(linesOf(service.stderr)).toContain('Building…')
    expect(built()).toEqual(['dist'])
    const children = processes.filter(({ parent }) => parent === program.pid)
    expect(children).toEqual([expect.objectContaining({ command: expect.stringMatching(/\/postgres -D /) })])
    expect(program.residentKb).toBeLessThan(200_000)
  })
})

/** Those that run in the service's group, and their children. */
function processesOf(service: Service) {
  const all = linesOf(execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,rss=,stat=,args='], { encoding: 'utf8' }))
    .map((line) => /^ *(\d+) +(\d+) +(\d+) +(\d+) +(\S+) +(.*)$/.exec(line)!)
    .filter(([, , , , , stat]) => !stat!.startsWith('Z'))
    .map(([, pid, parent, group, residentKb, , command]) => ({
      ...{ pid: Number(pid), parent: Number(parent), group: Number(group) },
      ...{ residentKb: Number(residentKb), command: command! },
    }))
  const own = all.filter(({ group }) => group === service.pid)
  const ids = own.map(({ pid }) => pid)
  return [...own, ...all.filter(({ pid, parent }) => ids.includes(parent) && !ids.includes(pid))]
}
