import { expect, test } from 'vitest'
import { terminates } from '../../test/harness/watchdog.ts'
import { isNamedBy, MAX_STS_PATTERNS, readStsPolicy, readStsRecord, writeStsPolicy } from './mta-sts.ts'

test.each([
  [['v=STSv1; id=20160831085700Z;'], '20160831085700Z'],
  [['v=STSv1;id=a1'], 'a1'],
  [['v=STSv1; extension=1; id=a1'], 'a1'],
  [['other text', 'v=STSv1; id=a1;'], 'a1'],
  [['v=STSv1; id=a1;', 'v=STSv1; id=a2;'], null],
  [['v=STSv12; id=a1'], null],
  [['v=STSv1; id=not-an-id'], null],
  [['v=STSv1; id='], null],
  [['v=STSv1'], null],
  [['v=spf1 -all'], null],
  [[], null],
])('the id of %j is %s', (texts, id) => {
  expect(readStsRecord(texts)).toBe(id)
})

const policy = (...lines: string[]) => ['version: STSv1', 'mode: enforce', 'max_age: 604800', ...lines].join('\n')

test('a policy is read, with either end of a line, and what is not known is left out', () => {
  const text =
    'version: STSv1\r\nmode: testing\r\nmx: mail.example.com\r\nmx: *.example.net\r\nother: x\r\nmax_age: 86400\r\n'

  expect(readStsPolicy(text)).toEqual({
    mode: 'testing',
    mx: ['mail.example.com', '*.example.net'],
    maxAgeSeconds: 86_400,
  })
  expect(readStsPolicy(text.replaceAll('\r\n', '\n'))).toEqual(readStsPolicy(text))
})

test('the first of two fields counts, a year is the longest, and without a server there is no policy but `none`', () => {
  expect(readStsPolicy(`${policy('mx: a.example')}\nmode: none`)).toMatchObject({ mode: 'enforce' })
  expect(readStsPolicy('version: STSv1\nmode: none\nmax_age: 9999999999')).toEqual({
    mode: 'none',
    mx: [],
    maxAgeSeconds: 31_557_600,
  })
  expect(readStsPolicy(policy())).toBe('it has no `mx`')
})

test.each([
  ['<html>', 'it has no `version: STSv1`'],
  ['version: STSv2\nmode: none\nmax_age: 1', 'it has no `version: STSv1`'],
  ['version: STSv1\nmode: strict\nmax_age: 1', 'it has no `mode` that is known'],
  ['version: STSv1\nmode: none', 'it has no `max_age`'],
  ['version: STSv1\nmode: none\nmax_age: -1', 'it has no `max_age`'],
  [policy('mx: *'), 'one `mx` is no name of a host'],
  [policy('mx: a.*.example'), 'one `mx` is no name of a host'],
  [policy('mx: a b.example'), 'one `mx` is no name of a host'],
  [policy(...Array.from({ length: MAX_STS_PATTERNS + 1 }, (_, n) => `mx: m${n}.example`)), 'it has more than 64 `mx`'],
])('%j is no policy', (text, problem) => {
  expect(readStsPolicy(text)).toBe(problem)
})

test('a file that is hostile is read in one pass, and a line as far as a name can reach', () => {
  const spaces = ' '.repeat(60_000)

  expect(terminates(() => readStsPolicy(`a:${spaces}\r x\n${policy('mx: a.example')}`))).toMatchObject({
    mx: ['a.example'],
  })
  expect(terminates(() => readStsPolicy(`${policy(`mx:${spaces}a.example`)}`))).toBe('one `mx` is no name of a host')
  expect(terminates(() => readStsPolicy(policy(`mx: ${'a.'.repeat(30_000)}\r`)))).toBe('one `mx` is no name of a host')
  expect(terminates(() => readStsRecord([`v=STSv1;${' ;'.repeat(30_000)}${spaces}id${spaces}=${spaces}`]))).toBeNull()
})

test.each([
  ['mail.example.com', 'mail.example.com', true],
  ['mail.example.com', 'MAIL.Example.com.', true],
  ['mail.example.com', 'mail.example.com.evil.test', false],
  ['*.example.com', 'mx1.example.com', true],
  ['*.example.com', 'a.mx1.example.com', false],
  ['*.example.com', 'example.com', false],
  ['*.example.com', '.example.com', false],
  ['*.example.com', 'evilexample.com', false],
  ['*.com', 'example.com', true],
  ['*.bücher.example', 'mx.xn--bcher-kva.example', true],
  ['mx.xn--bcher-kva.example', 'mx.bücher.example', true],
])('%s names %s: %s', (pattern, host, isNamed) => {
  const read = readStsPolicy(policy(`mx: ${pattern}`))

  expect(typeof read === 'object' && isNamedBy(read, host)).toBe(isNamed)
})

test('what is written is read again', () => {
  const own = { mode: 'testing', mx: ['mail.example.com'], maxAgeSeconds: 604_800 } as const

  expect(readStsPolicy(writeStsPolicy(own))).toEqual(own)
})
