import { expect, test } from 'vitest'
import { plainLine, plainName } from './plain-name.ts'

test('a name of a stranger is one short visible line', () => {
  expect(plainName('Acme Inc.', 60)).toBe('Acme Inc.')
  expect(plainName('Ümläut & Söhne 株式会社 🐦', 60)).toBe('Ümläut & Söhne 株式会社 🐦')
  expect(plainName(' a\r\nSubject:\tb\u2028c ', 60)).toBe('a Subject: b c')
  expect(plainName('a\u200bb\u202ec\u2066d\u00ade\u3164f\u2800g\u{e0041}h\ufeff', 60)).toBe('abcdefgh')
  expect(plainName('x'.repeat(100), 60)).toBe(`${'x'.repeat(59)}…`)
  expect(plainName('\u200b\u3164', 60)).toBe('')
  expect([...plainLine('🐦'.repeat(100), 10)]).toHaveLength(10)
})

test('nothing in it is what mail clients make a link of', () => {
  expect(plainName('Verify now: https://evil.example/login?x=1', 60)).toBe('Verify now: https evil[.]example/login?x=1')
  expect(plainName('www.evil.example', 60)).toBe('www[.]evil[.]example')
  expect(plainName('evil。example ｅvil．com http://127.0.0.1', 60)).toBe(
    'evil[.]example ｅvil[.]com http 127[.]0[.]0[.]1',
  )
  expect(plainName('Dr. Who, v. 2', 60)).toBe('Dr. Who, v. 2')
  expect(plainLine('ada@example.com', 60)).toBe('ada@example.com')
})
