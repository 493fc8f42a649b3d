import { expect, test } from 'vitest'
import { terminates } from '../../test/harness/watchdog.ts'
import { fillTemplate, namesIn, TooLong } from './templates.ts'

const values: Record<string, string> = {
  NAME: 'Ada',
  'contact.first_name': 'Grace',
  EMPTY: '',
  TRICK: '{{{NAME}}} $& $1',
}
const fill = (text: string) => fillTemplate(text, (name) => (Object.hasOwn(values, name) ? values[name] : undefined))

test.each([
  ['Hi {{{NAME}}}!', 'Hi Ada!'],
  ['Hi {{{ NAME }}}!', 'Hi Ada!'],
  ['Hi {{{contact.first_name}}}!', 'Hi Grace!'],
  ['Hi {{{NAME|there}}}!', 'Hi Ada!'],
  ['Hi {{{NOBODY|there}}}!', 'Hi there!'],
  ['Hi {{{ NOBODY | you there }}}!', 'Hi you there!'],
  ['Hi {{{NOBODY|}}}!', 'Hi !'],
  ['Hi {{{EMPTY|there}}}!', 'Hi !'],
  ['{{{TRICK}}}', '{{{NAME}}} $& $1'],
  ['{{{NOBODY|$& NAME}}}', '$& NAME'],
  ['{{{{NAME}}}}', '{Ada}'],
  ['{{NAME}} {{{}}} {{{NA-ME}}} {{{NA ME}}} {{{NAME', '{{NAME}} {{{}}} {{{NA-ME}}} {{{NA ME}}} {{{NAME'],
])('%j becomes %j', (text, filled) => {
  expect(fill(text)).toEqual({ text: filled, missing: [] })
})

test('what has neither value nor fallback is named once and becomes nothing', () => {
  expect(fill('{{{A}}}{{{NAME}}}{{{B}}}{{{A}}}{{{toString}}}')).toEqual({
    text: 'Ada',
    missing: ['A', 'B', 'toString'],
  })
})

test('the names are found in their order, each once', () => {
  expect(namesIn('{{{B}}} {{{A|x}}} {{{ B }}} {{C}}')).toEqual(['B', 'A'])
})

test.each(['{', '{{{', '{{{A', '{{{A|', '{{{ ', '{{{A|x', 'A', ' '])(
  '2 MB of %j take time for their length',
  (piece) => {
    const hostile = `{{{${piece.repeat(2_000_000 / piece.length)}`

    expect(terminates(() => fill(hostile))).toEqual({ text: hostile, missing: [] })
  },
)

test('what would become too long is refused before it is made', () => {
  const value = 'x'.repeat(1_000_000)
  const text = '{{{NAME}}}'.repeat(3_000)
  const { rss } = process.memoryUsage()

  expect(() => fillTemplate(text, () => value)).toThrow(TooLong)
  expect(() => fillTemplate('{{{A|1234567890}}}', () => undefined, 9)).toThrow('It would have more than 9 characters.')
  expect(fillTemplate('{{{A}}}{{{A}}}', () => 'long', 8).text).toBe('longlong')
  expect(process.memoryUsage().rss - rss).toBeLessThan(500_000_000)
})
