import { expect, test } from 'vitest'
import { readable } from './answer.ts'

const LIMIT = 25_000

const listOf = (count: number, item: object) => ({
  object: 'list',
  has_more: false,
  data: Array.from({ length: count }, (_, n) => ({ id: `id-${n}`, ...item })),
})

test('what is short comes as it is', () => {
  const body = JSON.stringify(listOf(3, { name: 'News' }))

  expect(readable(body)).toEqual({ text: body })
})

test('long texts become shorter, and all else stays', () => {
  const { text, note } = readable(JSON.stringify({ id: 'x', html: 'ä'.repeat(LIMIT), subject: 'Hello' }))

  expect(JSON.parse(text)).toEqual({
    id: 'x',
    html: `${'ä'.repeat(4_000)}… (21000 more characters)`,
    subject: 'Hello',
  })
  expect(note).toContain('more than 4000 characters')
})

test('a list that is too long loses its last items, and tells where to go on', () => {
  const { text, note } = readable(
    JSON.stringify(listOf(100, { value: { nested: 'y'.repeat(70), more: Array(4).fill('z'.repeat(300)) } })),
  )
  const { data, has_more } = JSON.parse(text)

  expect(text.length).toBeLessThanOrEqual(LIMIT)
  expect(data.length).toBeGreaterThan(40)
  expect(has_more).toBe(true)
  expect(note).toContain(`The first ${data.length} of 100 items`)
  expect(note).toContain(`\`after\`: "id-${data.length - 1}"`)
})

test.each([
  [
    'an object with a thousand fields',
    JSON.stringify(Object.fromEntries(Array.from({ length: 9_999 }, (_, n) => [n, n]))),
  ],
  ['a list whose items are too long', JSON.stringify(listOf(2, { values: Array(20_000).fill(1) }))],
  ['what is no JSON', 'x'.repeat(LIMIT + 1)],
  ['what is cut in the middle of a character', `${'x'.repeat(LIMIT - 1)}🐦`],
])('%s is cut', (_what, body) => {
  const { text, note } = readable(body)

  expect(text.length).toBe(LIMIT)
  expect(text.isWellFormed()).toBe(true)
  expect(note).toContain('first 25000 characters')
})
