import { describe, expect, test } from 'vitest'
import { complaintAddress, readReportAddress, returnPath } from './return-path.ts'

const secret = Buffer.from('a secret of the tests')
const emailId = '0197c3a0-5b1e-7c44-9d2f-3a6b8c9d0e1f'
const [local = ''] = returnPath({ emailId, position: 7, domain: 'bounces.example.com' }, secret).split('@')

function changedAt(index: number): string {
  return `${local.slice(0, index)}${local[index] === 'a' ? 'b' : 'a'}${local.slice(index + 1)}`
}

test('a return path leads back to a recipient of its email, whatever the case', () => {
  expect(local).toMatch(/^[a-z0-9+-]{1,64}$/)
  expect(readReportAddress(local, [secret])).toEqual({ by: 'return-path', emailId, position: 7 })
  expect(readReportAddress(local.toUpperCase(), [secret])).toEqual({ by: 'return-path', emailId, position: 7 })
})

test('the longest name of a cell fits, and the address leads back to its email in every cell that knows the secret', () => {
  const [ofCell = ''] = returnPath({ emailId, position: 65_535, domain: 'a.example', cell: 'europe12' }, secret).split(
    '@',
  )

  expect(ofCell).toMatch(/^b\+europe12-[a-z2-7]+$/)
  expect(ofCell).toHaveLength(56)
  expect(readReportAddress(ofCell.toUpperCase(), [Buffer.from('another'), secret])).toEqual({
    by: 'return-path',
    emailId,
    position: 65_535,
  })
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
  expect(readReportAddress(changed, [secret])).toBeNull()
})

// As they were written when all recipients of an email shared one: bounces of that mail may still come.
const shared = 'bounce+0197c3a05b1e7c449d2f3a6b8c9d0e1f-6aadfce30c414d19e9f2'

test('a return path without a recipient stays readable, and names nobody', () => {
  expect(readReportAddress(shared, [secret])).toEqual({ by: 'return-path', emailId, position: null })
  expect(readReportAddress(shared.replace('bounce+', 'B+EU1-'), [secret])).toEqual({
    by: 'return-path',
    emailId,
    position: null,
  })
  expect(readReportAddress(shared.replace('0197', '0198'), [secret])).toBeNull()
})

test.each([-1, 1.5, 65_536, Number.NaN])('%s is no position', (position) => {
  expect(() => returnPath({ emailId, position, domain: 'a.example' }, secret)).toThrow('position')
})

test('another secret signs something else', () => {
  expect(readReportAddress(local, [Buffer.from('another')])).toBeNull()
})

test('what is not a UUID is a defect', () => {
  expect(() => returnPath({ emailId: 'x@y', position: 0, domain: 'a.example' }, secret)).toThrow('UUID')
})

describe('the address for complaints', () => {
  const [complaints = ''] = complaintAddress({ emailId, position: 7, domain: 'a.example' }, secret).split('@')

  test('leads back to the same recipient, also with the longest name of a cell', () => {
    const ofCell = complaintAddress({ emailId, position: 7, domain: 'a.example', cell: 'europe12' }, secret)

    expect(complaints).toMatch(/^complaint\+[a-z2-7]{45}$/)
    expect(ofCell).toMatch(/^c\+europe12-[a-z2-7]{45}@a\.example$/)
    for (const address of [complaints.toUpperCase(), ofCell.split('@')[0]!])
      expect(readReportAddress(address, [secret])).toEqual({ by: 'complaint-address', emailId, position: 7 })
  })

  test('is no return path under another name, nor the other way round', () => {
    const token = complaints.replace('complaint+', '')

    for (const address of [
      `bounce+${token}`,
      `b+eu1-${token}`,
      local.replace('bounce+', 'complaint+'),
      local.replace('bounce+', 'c+eu1-'),
      shared.replace('bounce+', 'complaint+'),
    ])
      expect(readReportAddress(address, [secret])).toBeNull()
  })
})
