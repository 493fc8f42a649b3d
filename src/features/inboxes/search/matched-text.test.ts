import { expect, test } from 'vitest'
import { matchedText } from './matched-text.ts'
import { readTerms } from './query.ts'

const matched = (text: string, query: string) => matchedText([text], readTerms(query).wanted)

test('the piece is where most of the words are, or else the first', () => {
  const far = ' and so on'.repeat(40)

  expect(matched(`a kettle${far} a blue kettle${far}`, 'kettle blue')).toMatch(
    /^… [^\ue000]*\ue000blue\ue001 \ue000kettle\ue001 and/,
  )
  expect(matched(`one kettle${far} two kettles, a kettle`, 'kettle')).toMatch(/^one \ue000kettle\ue001 and/)
  expect(matched('to be to be to see', '"to be to see"')).toBe('to be \ue000to be to see\ue001')
})

test('a phrase that nearly fits everywhere is compared with 100,000 words, and no more', () => {
  const phrase = `"${'上'.repeat(900)}海"`
  const behind = (words: number) => matched(`${'上'.repeat(words + 900)}海`, phrase)

  expect(behind(110)).toContain('海')
  expect(behind(112)).toBeNull()
})
