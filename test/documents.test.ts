import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// `npm run check` fails when docs/schema.sql is not what the migrations make.
test('a migration says what each table is', () => {
  const tables = [...readFileSync('docs/schema.sql', 'utf8').matchAll(/^(-- .+\n)?create table (\w+) \($/gm)]
  const unsaid = tables.filter(([, comment]) => !comment).map(([, , name]) => name)

  expect(tables.length).toBeGreaterThan(40)
  expect(unsaid).toEqual([])
})

test('operators can look up every metric', () => {
  const page = readFileSync('docs/operations/monitoring.md', 'utf8')
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  )
  const names = sources.flatMap((file) => [
    ...readFileSync(join('src', file), 'utf8').matchAll(/'(postwren_[a-z_]+)'/g),
  ])

  expect(names.length).toBeGreaterThan(10)
  expect(names.map(([, name]) => name!).filter((name) => !page.includes(`\`${name}`))).toEqual([])
})

test('what the map and the recipes name in the sources is there', () => {
  const folders = ['docs', 'docs/decisions', 'docs/operations', 'docs/operations/night']
  const pages = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  const named = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...pages.filter((page) => page.endsWith('.md'))]
    .flatMap((page) => [...readFileSync(page, 'utf8').matchAll(/\bsrc\/[\w/.-]*\w/g)])
    .map(([path]) => path)

  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((path) => !existsSync(path))).toEqual([])
})

// `npm ci` refuses a lock file that lacks an optional package, also one for a system that nobody here has.
test('the lock file names the packages of all systems, and no host', () => {
  const text = readFileSync('package-lock.json', 'utf8')
  const { packages } = JSON.parse(text) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>
  }
  const wanted = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => ({ path, name })),
  )
  const missing = wanted.filter(
    ({ path, name }) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
  )

  expect(wanted.length).toBeGreaterThan(40)
  expect(missing).toEqual([])
  expect(text).not.toMatch(/"resolved"/)
})

test('the example that docs/testing.md shows is the one that is run', () => {
  expect(readFileSync('docs/testing.md', 'utf8')).toContain(readFileSync('examples/playwright/sign-up.spec.ts', 'utf8'))
})

test('what the examples install is what they are tested with', () => {
  const versionOf = (name: string) =>
    (JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8')) as { version: string }).version
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const wanted = ['playwright', 'vitest'].flatMap((example) => {
    const file = JSON.parse(readFileSync(`examples/${example}/package.json`, 'utf8')) as Record<string, object>
    return Object.entries({ ...file.dependencies, ...file.devDependencies })
  })

  expect(wanted.length).toBeGreaterThan(4)
  for (const [name, wish] of wanted)
    expect([name, wish]).toEqual([name, name === 'postwren' ? version : versionOf(name)])
})
