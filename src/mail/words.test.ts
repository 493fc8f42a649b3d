import { expect, test } from 'vitest'
import { fold, wordsOf } from './words.ts'

const words = (text: string) => wordsOf(text).map(({ word }) => word)

test('words are runs of letters and digits, whatever is between them', () => {
  expect(words('Re: report-2026.pdf for anna@acme.test!')).toEqual([
    ...['re', 'report', '2026', 'pdf', 'for', 'anna', 'acme', 'test'],
  ])
  expect(words(" \0 -- :* '\\ \ud800 <|!&> ")).toEqual([])
})

test('case, accents and variants of form do not matter', () => {
  expect(words('CAFÉ Cafe\u0301 ｃａｆｅ')).toEqual(['cafe', 'cafe', 'cafe'])
  expect(words('Straße STRASSE Øre ﬁne')).toEqual(['strasse', 'strasse', 'ore', 'fine'])
  expect(fold('Σίσυφος')).toBe(fold('ΣΙΣΥΦΟΣ'))
  expect(fold('İstanbul')).toBe(fold('istanbul'))
  expect(words('in\u00advoice 1½')).toEqual(['invoice', '11', '2'])
})

test('marks that are letters to their readers stay', () => {
  expect(words('हिन्दी')).toEqual(['हिन्दी'.normalize('NFC')])
  expect(fold('が')).toBe('が')
  expect(fold('ｶﾞ')).toBe('ガ')
})

test('characters of scripts without spaces are words of their own', () => {
  expect(words('明天的会议abc')).toEqual(['明', '天', '的', '会', '议', 'abc'])
  expect(words('サーバー')).toEqual(['サ', 'ー', 'バ', 'ー'])
  expect(words('회의를')).toEqual(['회', '의', '를'])
})

test('each word knows where it stands in the text', () => {
  const text = '“Café” 会议 x'
  expect(wordsOf(text).map(({ start, end }) => text.slice(start, end))).toEqual(['Café', '会', '议', 'x'])
})

test('a word that is longer than any is cut, and never in the middle of a character', () => {
  expect(words('a'.repeat(5_000))).toEqual(['a'.repeat(100)])
  const [cut] = words(`a${'𝔞𐐨'.repeat(200)}`)
  expect(cut!.length).toBeLessThanOrEqual(100)
  expect(Buffer.from(cut!).toString()).toBe(cut)
})
