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

test('a header without an end is cut short', () => {
  const raw = Buffer.from('From: a@example.com\r\n'.repeat(100_000))

  const cut = withBoundedSignatures(raw)

  expect(cut.length).toBeLessThanOrEqual(256 * 1024 + 1)
  expect(cut.toString().endsWith('example.com\r\n')).toBe(true)
})

test('what is empty stays empty', () => {
  expect(withBoundedSignatures(Buffer.alloc(0))).toHaveLength(0)
})
