import { expect, test } from 'vitest'
import { asFallback, asName, textOfVariable, withChips } from './chips.ts'

const paragraph = (...content: object[]) => ({ type: 'doc', content: [{ type: 'paragraph', content }] })
const text = (words: string, ...marks: string[]) => ({
  type: 'text',
  text: words,
  ...(marks.length > 0 && { marks: marks.map((type) => ({ type })) }),
})

test('variables in the texts of a document are opened as chips', () => {
  const opened = withChips(paragraph(text('Hello {{{FIRST_NAME|there}}}, you have '), text('{{{PLAN}}}!', 'bold')))

  expect(opened.content![0]!.content).toEqual([
    text('Hello '),
    { type: 'variable', attrs: { name: 'FIRST_NAME', fallback: 'there' } },
    text(', you have '),
    { type: 'variable', marks: [{ type: 'bold' }], attrs: { name: 'PLAN', fallback: null } },
    text('!', 'bold'),
  ])
})

test('code shows its braces', () => {
  const saved = {
    type: 'doc',
    content: [
      { type: 'codeBlock', content: [text('{{{A}}}')] },
      { type: 'paragraph', content: [text('{{{A}}}', 'code')] },
    ],
  }

  expect(withChips(saved)).toEqual(saved)
})

test('what is typed for a variable cannot end it', () => {
  const variable = { name: asName('first name}}}'), fallback: asFallback(' a}}} b ') }

  expect(textOfVariable(variable)).toBe('{{{firstname|a b}}}')
  expect(asFallback('  ')).toBeNull()
})
