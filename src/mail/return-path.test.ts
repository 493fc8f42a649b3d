import { expect, test } from 'vitest'
import { readReturnPath, returnPath } from './return-path.ts'

const secret = Buffer.from('a secret of the tests')
const emailId = '0197c3a0-5b1e-7c44-9d2f-3a6b8c9d0e1f'
const [local = ''] = returnPath({ emailId, position: 7, domain: 'bounces.example.com' }, secret).split('@')

function changedAt(index: number): string {
  return `${local.slice(0, index)}${local[index] === 'a' ? 'b' : 'a'}${local.slice(index + 1)}`
}

test('a return path leads back to a recipient of its email, whatever the case', () => {
  expect(local).toMatch(/^[a-z0-9+-]{1,64}$/)
  expect(readReturnPath(local, [secret])).toEqual({ emailId, position: 7 })
  expect(readReturnPath(local.toUpperCase(), [secret])).toEqual({ emailId, position: 7 })
})

test('the longest name of a cell fits, and the address leads back to its email in every cell that knows the secret', () => {
  const [ofCell = ''] = returnPath({ emailId, position: 65_535, domain: 'a.example', cell: 'europe12' }, secret).split(
    '@',
  )

  expect(ofCell).toMatch(/^b\+europe12-[a-z2-7]+$/)
  expect(ofCell).toHaveLength(56)
  expect(readReturnPath(ofCell.toUpperCase(), [Buffer.from('another'), secret])).toEqual({ emailId, position: 65_535 })
})

test('an id in capitals is the same id', () => {
  expect(returnPath({ emailId: emailId.toUpperCase(), position: 7, domain: 'a.example' }, secret)).toBe(
    `${local}@a.example`,
  )
})

test.each([
  ['a changed id', changedAt(8)],
  ['a changed position', changedAt('bounce+'.length + 27)],
  ['a changed signature', changedAt(local.length - 3)],
  ['a bit behind the signature', local.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1))],
  ['no signature', local.slice(0, -16)],
  ['something in front', `prvs=0123456789=${local}`],
  ['something behind', `${local}+x`],
  ['a letter that becomes ASCII in lower case', local.replace('bounce', 'bounc\u212a')],
  ['nothing', ''],
  ['a lot', 'b'.repeat(10_000_000)],
])('%s is not ours', (_, changed) => {
  expect(readReturnPath(changed, [secret])).toBeNull()
})

// As they were written when all recipients of an email shared one: bounces of that mail may still come.
const shared = 'bounce+0197c3a05b1e7c449d2f3a6b8c9d0e1f-6aadfce30c414d19e9f2'

test('a return path without a recipient stays readable, and names nobody', () => {
  expect(readReturnPath(shared, [secret])).toEqual({ emailId, position: null })
  expect(readReturnPath(shared.replace('bounce+', 'B+EU1-'), [secret])).toEqual({ emailId, position: null })
  expect(readReturnPath(shared.replace('0197', '0198'), [secret])).toBeNull()
})

test.each([-1, 1.5, 65_536, Number.NaN])('%s is no position', (position) => {
  expect(() => returnPath({ emailId, position, domain: 'a.example' }, secret)).toThrow('position')
})

test('another secret signs something else', () => {
  expect(readReturnPath(local, [Buffer.from('another')])).toBeNull()
})

test('what is not a UUID is a defect', () => {
  expect(() => returnPath({ emailId: 'x@y', position: 0, domain: 'a.example' }, secret)).toThrow('UUID')
})
