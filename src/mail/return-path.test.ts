import { expect, test } from 'vitest'
import { readReturnPath, returnPath } from './return-path.ts'

const secret = Buffer.from('a secret of the tests')
const emailId = '0197c3a0-5b1e-7c44-9d2f-3a6b8c9d0e1f'
const [local = ''] = returnPath({ emailId, domain: 'bounces.example.com' }, secret).split('@')

test('a return path leads back to its email, whatever the case', () => {
  expect(local).toMatch(/^[a-z0-9+-]{1,64}$/)
  expect(readReturnPath(local, [secret])).toEqual({ emailId })
  expect(readReturnPath(local.toUpperCase(), [secret])).toEqual({ emailId })
})

test('the longest name of a cell fits, and the address leads back to its email in every cell that knows the secret', () => {
  const [ofCell = ''] = returnPath({ emailId, domain: 'a.example', cell: 'europe12' }, secret).split('@')

  expect(ofCell).toMatch(/^b\+europe12-[0-9a-f-]+$/)
  expect(ofCell).toHaveLength(64)
  expect(readReturnPath(ofCell.toUpperCase(), [Buffer.from('another'), secret])).toEqual({ emailId })
})

test('an id in capitals is the same id', () => {
  expect(returnPath({ emailId: emailId.toUpperCase(), domain: 'a.example' }, secret)).toBe(`${local}@a.example`)
})

test.each([
  ['a changed id', local.replace('0197', '0198')],
  ['a changed signature', local.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
  ['no signature', local.slice(0, -21)],
  ['something in front', `prvs=0123456789=${local}`],
  ['something behind', `${local}+x`],
  ['a letter that becomes ASCII in lower case', local.replace('bounce', 'bounc\u212a')],
  ['nothing', ''],
  ['a lot', 'b'.repeat(10_000_000)],
])('%s is not ours', (_, changed) => {
  expect(readReturnPath(changed, [secret])).toBeNull()
})

test('another secret signs something else', () => {
  expect(readReturnPath(local, [Buffer.from('another')])).toBeNull()
})

test('what is not a UUID is a defect', () => {
  expect(() => returnPath({ emailId: 'x@y', domain: 'a.example' }, secret)).toThrow('UUID')
})
