import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Score } from '../score.ts'
import { printedProgram, readProgram } from './first-mail.ts'
import { LANGUAGES } from './languages.ts'
import { readOutput } from './output.ts'
import { pageWith } from './table.ts'
import { missingTool, prepare, succeeds } from './toolchain.ts'

const CATALOGUE = {
  packages: { Python: 'resend', Go: 'github.com/resend/resend-go/v3' },
  notes: { 'django-anymail': 'It has tags.', 'Another mailer': 'Not tried.' },
}

const said = (...lines: object[]) => lines.map((line) => JSON.stringify(line)).join('\n')

test('a method that was not called, a wrong one and a bad end count as wrong', () => {
  const stdout = said(
    { version: '1.2.3', methods: ['emails.get', 'emails.send'] },
    { method: 'emails.send', ok: true },
    { method: 'emails.send', ok: false, detail: 'no id' },
  )
  const score = readOutput('SDK for Go', { code: 2, stdout: `noise\n${stdout}\n`, stderr: 'panic' })
  expect(score).toMatchObject({ version: '1.2.3', methods: 2, calls: 4 })
  expect(score.wrong).toEqual([
    { call: 'emails.send', reason: 'no id' },
    { call: 'emails.get', reason: 'never called by this trial' },
    { call: 'end', reason: 'exit code 2: panic' },
  ])
})

test('the page prints the first mail of each language that has one, with what it is to be started with', () => {
  for (const [key, { name, firstMail }] of Object.entries(LANGUAGES))
    if (firstMail) expect(readProgram(name, key).code).toContain('me@example.com')
  expect(readProgram('Node', 'ts')).toMatchObject({ code: expect.stringMatching(/^import .*me@example\.com/s) })
  expect(readProgram('Ruby', 'ruby').environment).toEqual({ RESEND_BASE_URL: 'http://localhost:4025/' })
  const page = '## Go\n\n```go\nfirst\n```\n\n```go\nsecond\n```\n\n## Rust\n\n```rust\nthird\n```\n'
  expect(printedProgram(page, 'Go', 'go')).toEqual({ code: 'first\n', environment: {} })
  expect(() => printedProgram(page, 'Rust', 'go')).toThrow('no first mail for Rust')
})

test('the first tool that is missing is named', () => {
  expect(missingTool(['sh', 'no-such-tool-here', 'nor-this'])).toBe('no-such-tool-here')
  expect(missingTool(['sh'])).toBeUndefined()
})

test('packages that cannot be installed are asked for again the next time; a program that does not compile is a mistake', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-language-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const ruby = LANGUAGES.ruby!

  expect(prepare('ruby', { ...ruby, install: [['false']] }, folder)).toBe(false)
  expect(prepare('ruby', { ...ruby, install: [['no-such-tool-here']] }, folder)).toBe(false)
  expect(prepare('ruby', { ...ruby, install: [['true']] }, folder)).toBe(true)
  expect(() => prepare('ruby', { ...ruby, build: [['false']] }, folder)).toThrow('false failed in')
})

test('a run writes its rows, and leaves those of languages that it did not try', () => {
  const go = readOutput('SDK for Go', {
    code: 0,
    stdout: said({ version: '3.0.0' }, { method: 'a', ok: true }),
    stderr: '',
  })
  const python = readOutput('SDK for Python', {
    code: 0,
    stdout: said({ version: '2.0.0' }, { method: 'a', ok: true }),
    stderr: '',
  })
  const mailer = new Score('django-anymail', '15')
  mailer.count('send', [])
  const before = pageWith('# Compatibility\n\n## Servers\n\nThree.\n', [python, mailer], CATALOGUE)
  const after = pageWith(before, [go], CATALOGUE)
  expect(after).toContain('## Servers\n\nThree.')
  expect(after).toContain('| Python | `resend` | 2.0.0 | 1 | 1 | 1 |')
  expect(after).toContain('| Go | `github.com/resend/resend-go/v3` | 3.0.0 | 1 | 1 | 1 |')
  expect(after).toContain('| django-anymail | 15 | right |')
  expect(after).toContain('- **django-anymail**: It has tags.')
  expect(after).not.toContain('Another mailer')
  expect(pageWith(after, [go], CATALOGUE)).toBe(after)
})

test('a framework that is not installed is told from one that is', () => {
  expect(succeeds(['sh', '-c', 'exit 3'], '.')).toBe(false)
  expect(succeeds(['no-such-tool-here'], '.')).toBe(false)
  expect(succeeds(['true'], '.')).toBe(true)
})

test('a language that nobody has tried has a row that says so, until somebody has', () => {
  const untried = [{ name: '.NET', package: 'Resend', why: 'needs .NET' }]
  const page = pageWith('# Page\n', [], { ...CATALOGUE, untried })
  expect(page).toContain('| .NET | `Resend` | skipped: needs .NET | – | – | – |')

  const tried = readOutput('SDK for .NET', { code: 0, stdout: said({ version: '1.0.0', methods: [] }), stderr: '' })
  const next = pageWith(page, [tried], { ...CATALOGUE, packages: { '.NET': 'Resend' }, untried })
  expect(next).toContain('| .NET | `Resend` | 1.0.0 |')
  expect(next).not.toContain('skipped')
})
