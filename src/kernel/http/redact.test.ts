import Type from 'typebox'
import { expect, test } from 'vitest'
import { redact } from './redact.ts'

const Schema = Type.Object({
  html: Type.Optional(Type.String({ 'x-bulky': true })),
  key: Type.Optional(Type.String({ 'x-secret': true })),
  variables: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

const logged = (body: object) => JSON.parse(redact('', Schema, body)!)

test('what is longer than anything that the log keeps is not copied for it, wherever it is', () => {
  const long = 'x'.repeat(900_000)
  const fields = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`k${n}`, n]))

  expect(logged({ html: 'short', key: 'k', variables: { A: long, list: [long, 'b'], n: 1 } })).toEqual({
    html: '[5 characters]',
    key: '[redacted]',
    variables: { A: '[900000 characters]', list: ['[900000 characters]', 'b'], n: 1 },
  })
  expect(logged({ variables: fields })).toEqual({ variables: '[left out]' })
  expect(logged({ unknown: Array(9_000).fill(0) })).toEqual({ unknown: '[left out]' })
})
