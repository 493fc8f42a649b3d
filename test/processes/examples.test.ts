import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { FLAGS } from '../harness/chromium.ts'
import { CHROMIUM } from '../harness/chromium-path.ts'
import { installPacked, pack } from '../harness/package.ts'
import { CHECKOUT } from '../harness/program.ts'
import { temporaryFolder } from '../harness/service.ts'

// All in one folder, as in the repository whose workflow the fourth is: with the tarball, and no registry.
let folder: string
let temporary: string

beforeAll(() => {
  folder = temporaryFolder({ lifetime: 'file' })
  temporary = temporaryFolder({ lifetime: 'file' })
  for (const name of ['playwright', 'vitest', 'pytest'])
    cpSync(join(CHECKOUT, 'examples', name), folder, { recursive: true })
  // With the flags of our own tests: Chromium of the system does much that nobody sees.
  writeFileSync(join(folder, 'chromium'), `#!/bin/sh\nexec ${CHROMIUM} "$@" ${FLAGS.join(' ')}\n`, { mode: 0o755 })
  installPacked(pack(temporary), folder, ['resend', 'vitest', '@playwright/test', 'typescript'])
}, 120_000)

function run(command: string) {
  const { PATH, HOME } = process.env
  const done = spawnSync(command, {
    ...{ cwd: folder, shell: true, encoding: 'utf8' },
    env: { PATH, HOME, TMPDIR: temporary, CHROMIUM: join(folder, 'chromium'), NO_COLOR: '1' },
  })
  return { code: done.status, said: `${done.stdout}${done.stderr}` }
}

interface Workflow {
  on: string[]
  jobs: Record<string, { steps: { uses?: string; run?: string }[] }>
}

const workflow = parse(readFileSync(join(CHECKOUT, 'examples/github-actions/tests.yml'), 'utf8')) as Workflow
const commands = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))

const hasPytest = spawnSync('python3', ['-c', 'import pytest']).status === 0
if (!hasPytest) process.stdout.write('The example for pytest is not run: there is no pytest here.\n')

test('the workflow runs them all, after it has installed what they need', () => {
  expect(workflow.on).toEqual(['push', 'pull_request'])
  expect(commands).toEqual([
    'npm ci && pip install pytest',
    'npx playwright install --with-deps chromium',
    'npx vitest run',
    'npx playwright test',
    'python3 -m pytest -q',
  ])
})

test('the example for vitest is green, by the command of the workflow', () => {
  const { code, said } = run(commands[2]!)

  expect(said).toMatch(/Tests +3 passed/)
  expect(code).toBe(0)
})

test.runIf(CHROMIUM)('the example for Playwright is green, by the command of the workflow', () => {
  const { code, said } = run(commands[3]!)

  expect(said).toMatch(/^ +4 passed/m)
  expect(code).toBe(0)
})

test.runIf(hasPytest)('the example for pytest is green, by the command of the workflow', () => {
  const { code, said } = run(commands[4]!)

  expect(said).toMatch(/^2 passed/m)
  expect(code).toBe(0)
})

// The types are a part of the package that nothing else here reads as an application does.
test.each(['nodenext', 'bundler'])('the examples, and one in CommonJS, are right about its types: %s', (kind) => {
  writeFileSync(join(folder, 'common.cts'), COMMON_JS)
  const files = readdirSync(folder).filter((name) => (kind === 'nodenext' ? /\.c?ts$/ : /\.ts$/).test(name))
  const compilerOptions = {
    ...{ module: kind === 'bundler' ? 'esnext' : kind, moduleResolution: kind, target: 'es2022', strict: true },
    ...{ noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true, allowJs: true, types: [] },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))

  expect(run('node_modules/.bin/tsc')).toEqual({ code: 0, said: '' })
})

const COMMON_JS = `import { type Message, sandbox, startPostwren } from 'postwren/testing'
import setup = require('postwren/testing/setup')
import { matchers } from 'postwren/testing/matchers'

export async function main(): Promise<Message> {
  const stop: () => Promise<void> = await setup()
  const { apiKey } = await startPostwren({ settings: { POSTWREN_RATE_LIMIT: '0' } })
  const { inbox, clock, scenario } = await sandbox({ apiKey, seed: 1 })
  await scenario.set([{ outcome: { greylisted: 2 } }])
  const { happened } = await clock.advance('3 days')
  const mail = await inbox.waitFor({ to: happened[0]!.to![0]! })
  matchers.toHaveCode(mail)
  await stop()
  // @ts-expect-error: there is no such word
  await inbox.waitFor({ too: 'ada@example.com' })
  return mail
}
`
