import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CHECKOUT } from './harness/program.ts'

const DIST = join(CHECKOUT, 'dist')
const textOf = (file: string) => readFileSync(join(DIST, file), 'utf8')

/** The files that are read before an idle service listens: the command, the service, and what they import without being asked. */
function filesOfStart(): Set<string> {
  const files = new Set<string>()
  const add = (file: string) => {
    if (files.has(file)) return
    files.add(file)
    for (const [, imported] of textOf(file).matchAll(/(?:\bfrom|\bimport)\s*"\.\/([\w.-]+\.js)"/g)) add(imported!)
  }
  add('postwren.js')
  add(readdirSync(DIST).find((file) => /^service-\w+\.js$/.test(file))!)
  return files
}

test('a start reads what an idle service uses, and no more', () => {
  const text = [...filesOfStart()].map(textOf).join('\n')

  // From the middle of packages that are loaded when they are needed, or not at all.
  for (const [name, part] of Object.entries({
    undici: 'llhttp',
    'openid-client': 'OAUTH_RESPONSE_IS_NOT_JSON',
    '@simplewebauthn/server': 'fido-u2f',
  }))
    expect(text.includes(part), name).toBe(false)
  // 5.9 MB once, of which a third was indentation and comments.
  expect(text.length).toBeLessThan(4_000_000)
})

test('the program is ASCII: the engine keeps one byte for each character of it', () => {
  const others = [...filesOfStart(), 'parser-worker.js'].filter((file) => /[^\0-\x7f]/.test(textOf(file)))

  expect(others).toEqual([])
})

test('what is loaded later has its names in the build as well', async () => {
  const file = readdirSync(DIST).find((name) => /^undici-\w+\.js$/.test(name))!

  expect(await import(join(DIST, file))).toMatchObject({
    Agent: expect.any(Function),
    buildConnector: expect.any(Function),
  })
})
