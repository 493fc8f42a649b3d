import { expect, test } from 'vitest'
import { changesOf, type FullTemplate, fieldsOf } from './draft.ts'

const TEMPLATE = {
  ...{
    name: 'Welcome',
    alias: null,
    from: null,
    reply_to: ['a@example.com', 'b@example.com'],
    subject: 'Hi',
    text: null,
  },
  html: '<p>{{{NAME}}} {{{SEATS}}} {{{PLAN}}}</p>',
  variables: [
    { key: 'NAME', type: 'string', fallback_value: 'you' },
    { key: 'SEATS', type: 'number', fallback_value: 3 },
    { key: 'PLAN', type: 'string', fallback_value: null },
  ],
} as unknown as FullTemplate

test('what is missing is an empty field, and an empty field is missing again', () => {
  const fields = fieldsOf(TEMPLATE)

  expect(fields).toMatchObject({ alias: '', from: '', reply_to: 'a@example.com, b@example.com' })
  expect(changesOf(fields)).toMatchObject({ alias: null, from: null, reply_to: TEMPLATE.reply_to })
})

test('a fallback keeps its type, and none is left out', () => {
  expect(changesOf(fieldsOf(TEMPLATE)).variables).toEqual([
    { key: 'NAME', type: 'string', fallback_value: 'you' },
    { key: 'SEATS', type: 'number', fallback_value: 3 },
    { key: 'PLAN', type: 'string' },
  ])
})

test('a text that looks like JSON is a text, and what is no JSON goes to the server as it is', () => {
  const typed = (type: 'string' | 'number', fallback: string) =>
    changesOf({ ...fieldsOf(TEMPLATE), variables: [{ key: 'X', type, fallback }] }).variables![0]

  expect(typed('string', '12')).toMatchObject({ fallback_value: '12' })
  expect(typed('number', '12')).toMatchObject({ fallback_value: 12 })
  expect(typed('number', 'twelve')).toMatchObject({ fallback_value: 'twelve' })
})

test('only what was changed is sent', () => {
  expect(changesOf({ subject: '' })).toEqual({ subject: null })
})
