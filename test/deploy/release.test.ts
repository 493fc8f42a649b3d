import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../harness/service.ts'

const SCRIPT = resolve('scripts/release.mjs')
const FILES = [
  ...['package.json', 'package-lock.json', 'CHANGELOG.md', 'README.md', 'compose.yaml', 'compose.direct.yaml'],
  ...['examples/playwright/package.json', 'examples/vitest/package.json'],
  ...['deploy/kubernetes/base/kustomization.yaml', 'deploy/helm/postwren/Chart.yaml'],
  ...['docs/operations/install-image.md', 'docs/operations/install-linux.md'],
]

const NEWS = 'Something is new.'

/** A copy of what a release changes. */
function checkout() {
  const folder = temporaryFolder()
  for (const file of FILES.filter((name) => existsSync(name))) {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    cpSync(file, join(folder, file))
  }
  // After a release there is nothing new until somebody adds it.
  const changelog = join(folder, 'CHANGELOG.md')
  writeFileSync(changelog, readFileSync(changelog, 'utf8').replace(/^## Unreleased$/m, `## Unreleased\n\n- ${NEWS}`))
  return (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...words], {
      cwd: folder,
      encoding: 'utf8',
    })
    return { status, stdout, stderr, read: (file: string) => readFileSync(join(folder, file), 'utf8') }
  }
}

test('a release has its number everywhere, and its part of the changelog', () => {
  const release = checkout()
  expect(release('--check', '9.8.7').stderr).toContain('package.json says ')

  const { status, read } = release('9.8.7', '--date', '2030-01-31')

  expect(status).toBe(0)
  expect(read('CHANGELOG.md')).toMatch(/^## Unreleased\n\n## 9\.8\.7 \(2030-01-31\)\n/m)
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({
    version: '9.8.7',
    packages: { '': { version: '9.8.7' } },
  })
  expect(release('--check', '9.8.7').status).toBe(0)
  expect(release('--notes', '9.8.7').stdout).toContain(NEWS)
})

test('nothing is released twice, nor under a name that is no version', () => {
  const release = checkout()
  release('9.8.7')

  expect(release('9.8.7').status).toBe(1)
  expect(release('latest').stderr).toContain('Usage')
})

test('this checkout has one version', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  expect(checkout()('--check', version).stderr).toBe('')
})

const WORKFLOWS = ['test', 'nightly', 'release'].map((name) => `.github/workflows/${name}.yml`)

test('workflows run what the repository has', () => {
  const scripts = Object.keys((JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object }).scripts)
  const commands = WORKFLOWS.flatMap((file) => {
    const { jobs } = parse(readFileSync(file, 'utf8')) as { jobs: Record<string, { steps: { run?: string }[] }> }
    return Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = '' }) => run.split(/&&|\n/)))
  })
  const files = commands.flatMap((command) => /(?:^|node )\s*((?:scripts|\.ci)\/\S+)/.exec(command)?.slice(1, 2) ?? [])
  const ran = commands.flatMap((command) => /npm (?:run )?((?:test|chaos|clients)\S*)/.exec(command)?.slice(1, 2) ?? [])

  expect(files.length).toBeGreaterThan(3)
  expect(files.filter((file) => !existsSync(file))).toEqual([])
  expect(ran.filter((name) => !scripts.includes(name))).toEqual([])
})

test('tests run on every Node and PostgreSQL that is promised', () => {
  const { jobs } = parse(readFileSync(WORKFLOWS[0]!, 'utf8')) as {
    jobs: Record<string, { strategy?: { matrix: Record<string, number[]> } }>
  }

  expect([20, ...jobs.node!.strategy!.matrix.node!]).toEqual([20, 22, 24, 26])
  expect(jobs.postgres!.strategy!.matrix.postgres).toEqual([14, 15, 16, 17, 18])
})
