import { expect, test } from 'vitest'
import {
  DatabaseAway,
  DatabaseBusy,
  isContention,
  isUnavailable,
  mayComeBack,
  mayHaveCommitted,
} from './database-errors.ts'

const withCode = (code: string) => Object.assign(new Error('words'), { code })

test.each(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENOTFOUND EAI_AGAIN ENOSPC EDQUOT 08006 53100 53300 55P03 57014 57P01 58030 25006'
    .split(' ')
    .map((code) => [code]),
)('%s: try again in a moment', (code) => {
  expect(isUnavailable(withCode(code))).toBe(true)
})

test('several addresses are unavailable when each of them is', () => {
  expect(isUnavailable(new AggregateError([withCode('ECONNREFUSED'), withCode('ENETUNREACH')]))).toBe(true)
  expect(isUnavailable(new AggregateError([withCode('ECONNREFUSED'), withCode('23505')]))).toBe(false)
  expect(isUnavailable(new AggregateError([]))).toBe(false)
})

test('what the driver and our own limits say without a code', () => {
  expect(isUnavailable(new Error('Connection terminated unexpectedly'))).toBe(true)
  expect(isUnavailable(new DatabaseAway('The database has not answered for 2 s'))).toBe(true)
  expect(isUnavailable(new Error('words'))).toBe(false)
  expect(isUnavailable('ECONNREFUSED')).toBe(false)
})

test('a database that refuses us is not waited for, one that does not answer or starts is', () => {
  const away = (code: string) => mayComeBack(new DatabaseAway('words', { cause: withCode(code) }))

  expect(['ECONNREFUSED', 'ENOTFOUND', '57P03', '53300'].map(away)).toEqual([true, true, true, true])
  expect(['28P01', '28000', '3D000', 'DEPTH_ZERO_SELF_SIGNED_CERT'].map(away)).toEqual([false, false, false, false])
  expect(
    mayComeBack(new DatabaseAway('words', { cause: new Error('The server does not support SSL connections') })),
  ).toBe(false)
})

test('somebody else was there first', () => {
  expect(isContention(withCode('23505'))).toBe(true)
  expect(isUnavailable(withCode('23505'))).toBe(false)
})

test('what PostgreSQL refuses is not committed, what got no answer may be', () => {
  const refused = ['22021', '23505', '40001', '53100', '55P03', '57014'].map(withCode)
  const unanswered = ['08006', '57P01', 'EPIPE', 'ECONNRESET'].map(withCode)

  expect([...refused, new DatabaseBusy('words')].filter(mayHaveCommitted)).toEqual([])
  expect(unanswered.every(mayHaveCommitted)).toBe(true)
  expect(mayHaveCommitted(new DatabaseAway('words', { cause: withCode('57014') }))).toBe(true)
  expect(mayHaveCommitted(new Error('Connection terminated unexpectedly'))).toBe(true)
})
