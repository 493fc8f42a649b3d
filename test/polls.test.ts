import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

/**
 * How often tests ask again and again instead of waiting for a signal. It may only shrink: who needs to wait uses `app.until`,
 * `service.stored`, `service.logs`, or a list or a double that says when it has changed (`test/harness/changes.ts`). Programs of others (containers, proxies)
 * and commands that run beside a service have nothing to hear, and what one node hears of another is seen in no other way: these it has grown by.
 */
const MAX_POLLS = 199

/** What a page shows has no other signal: the browser is asked until it does. */
const IN_BROWSERS = /^test\/e2e\/dashboard\//

/** The functions themselves. */
const DEFINITION = /function eventually\(/
const POLL = /\beventually\(|\bexpect\s*\.poll\(|\bvi\.waitFor\(/g

test('tests wait for signals: no more of them poll than did', () => {
  const files = ['src', 'test', 'testkit', 'simulate'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules') && path !== 'polls.test.ts')
      .map((path) => join(folder, path))
      .filter((path) => !IN_BROWSERS.test(path)),
  )
  const polls = files.flatMap(
    (path) =>
      readFileSync(join(ROOT, path), 'utf8')
        .replace(DEFINITION, '')
        .match(POLL)
        ?.map(() => path) ?? [],
  )

  expect(polls.length, 'a poll was added, or MAX_POLLS can be lowered').toBe(MAX_POLLS)
})
