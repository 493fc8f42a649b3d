import { expect, test } from 'vitest'
import { withBoundedSignatures } from './signatures.ts'

const signature = (n: number) => `DKIM-Signature: v=1; d=d${n}.example;\r\n\tb=abc`
const message = (fields: readonly string[], body = 'Hi\r\n') => Buffer.from(`${fields.join('\r\n')}\r\n\r\n${body}`)
const signatures = (count: number) => Array.from({ length: count }, (_, n) => signature(n))

test('a message with a few signatures is left as it is', () => {
  const raw = message([...signatures(10), 'From: ä@example.com', 'ARC-Message-Signature: i=1'])

  expect(withBoundedSignatures(raw)).toBe(raw)
})

test('of many signatures the first ten are left, with everything else', () => {
  const raw = message(['From: a@example.com', ...signatures(1_000), 'dkim-signature : x', 'Subject: ä'], 'Body ä\r\n')

  expect(withBoundedSignatures(raw)).toEqual(
    message(['From: a@example.com', ...signatures(10), 'Subject: ä'], 'Body ä\r\n'),
  )
})

test('of a large message fewer are checked', () => {
  const raw = message(signatures(10), 'x'.repeat(30 * 1024 * 1024))

  expect(
    withBoundedSignatures(raw)
      .subarray(0, 1_000)
      .toString()
      .match(/DKIM-Signature/g),
  ).toHaveLength(2)
})

test.each([
  ['without an end', Buffer.from('From: a@example.com\r\n'.repeat(100_000))],
  ['of many folds', message([`From: a@example.com\r\nX: ${'\r\n y'.repeat(50_000)}`, ...signatures(1)])],
  ['that is one line', message([`From: a@example.com\r\nX: ${'x'.repeat(1_000_000)}`])],
])('a header %s is cut short', (_, raw) => {
  const cut = withBoundedSignatures(raw)

  expect(cut.length).toBeLessThanOrEqual(256 * 1024 + 4)
  expect(cut.toString().split('\r\n').length).toBeLessThanOrEqual(5_003)
  expect(cut.toString()).not.toContain('DKIM')
  expect(cut.toString()).toMatch(/^From: a@example.com\r\n[\s\S]*\r\n\r\n$/)
})

test.each([
  ['2 MB', signatures(40_000)],
  ['a thousand lines', [...signatures(10), ...Array(1_000).fill('X: y')]],
])('of a header of %s no signature is left, and no body', (_, fields) => {
  const cut = withBoundedSignatures(message(['From: a@example.com', 'ARC-Seal: i=1', ...fields])).toString()

  expect(cut).toMatch(/^From: a@example.com\r\n/)
  expect(cut).not.toMatch(/signature|seal|Hi/i)
})

test('what is empty stays empty', () => {
  expect(withBoundedSignatures(Buffer.alloc(0))).toHaveLength(0)
})
