import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
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
    '@opentelemetry': 'telemetry.sdk.language',
  }))
    expect(text.includes(part), name).toBe(false)
  // 5.9 MB once, of which a third was indentation and comments.
  expect(text.length).toBeLessThan(4_060_000)
})

test('the program is ASCII: the engine keeps one byte for each character of it', () => {
  const others = [...filesOfStart(), 'parser-worker.js', 'editor-worker.js'].filter((file) =>
    /[^\0-\x7f]/.test(textOf(file)),
  )

  expect(others).toEqual([])
})

test('what is loaded later has its names in the build as well', async () => {
  const file = readdirSync(DIST).find((name) => /^undici-\w+\.js$/.test(name))!

  expect(await import(join(DIST, file))).toMatchObject({
    Agent: expect.any(Function),
    buildConnector: expect.any(Function),
  })
})

/** The files of the dashboard that are read before its first page is there: what index.html names, that page, and what they import. */
function filesOfFirstLoad(): readonly string[] {
  const folder = join(CHECKOUT, 'dist-dashboard')
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const page = readdirSync(join(folder, 'assets')).find((file) => /^emails-home-[\w-]+\.js$/.test(file))!
  const files = new Set(['index.html'])
  const add = (file: string) => {
    if (files.has(file)) return
    files.add(file)
    if (!file.endsWith('.js')) return
    const text = readFileSync(join(folder, file), 'utf8')
    for (const [, imported] of text.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([\w.-]+\.js)"/g)) add(`assets/${imported}`)
  }
  for (const [, file] of html.matchAll(/\/dashboard\/((?:assets\/)?[\w.-]+\.(?:js|css|woff2|svg))"/g)) add(file!)
  add(`assets/${page}`)
  return [...files].map((file) => join(folder, file))
}

test('the first page of the dashboard is at most 200 kB, packed, with its font', () => {
  const files = filesOfFirstLoad()
  const sizeOf = (file: string) => statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size

  expect(files.length).toBeGreaterThan(8)
  expect(files.filter((file) => file.endsWith('.woff2'))).toHaveLength(1)
  expect(files.reduce((sum, file) => sum + sizeOf(file), 0)).toBeLessThan(200_000)
  // Schemas are for forms, which are on no first page.
  for (const file of files.filter((name) => name.endsWith('.js')))
    expect(readFileSync(file, 'utf8').includes('~kind'), file).toBe(false)
})
