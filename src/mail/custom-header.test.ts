import { expect, test } from 'vitest'
import { isHeaderName, isReserved, RESERVED_HEADERS, refuseHeader } from './custom-header.ts'

test.each([
  ['X-Campaign', 'Frühling'],
  ['X-Empty', ''],
  ['X-Long', `${'word '.repeat(1_000)}`],
  ['X-One-Line', 'x'.repeat(986)],
  ['X-Encoded', 'ü'.repeat(2_000)],
  ['References', '<a@example.com> <b@example.com>'],
  ['List-Unsubscribe', '<https://example.com>'],
])('%s may be set', (name, value) => {
  expect(refuseHeader(name, value)).toBeNull()
})

test.each([
  ['', 'x', /name/],
  ['X Y', 'x', /name/],
  ['X:Y', 'x', /name/],
  ['X\r\nBcc', 'x', /name/],
  ['Ünicode', 'x', /name/],
  ['X'.repeat(77), 'x', /name/],
  ['Date', 'now\r\nBcc: eve@example.com', /line break/],
  ['Content-Disposition\r\nBcc', 'x', /name/],
  ['X-Break', 'a\r\nBcc: eve@example.com', /line break/],
  ['X-Break', 'a\nb', /line break/],
  ['X-Control', 'a\u0000', /control character/],
  ['X-Half', 'a\ud800', /control character/],
  ['X-Unfoldable', 'x'.repeat(987), /white space to fold/],
  ['References', 'x'.repeat(1_500), /white space to fold/],
  ['X-Endless', 'word '.repeat(2_000), /longer than/],
  ['List-Unsubscribe', '<https://example.com/ü>', /ASCII/],
])('%j: %.40j is refused', (name, value, why) => {
  expect(refuseHeader(name, value)).toMatch(why)
})

test.each(['BCC', 'dkim-Signature', 'Message-ID', 'Reply-To', 'Date', 'Sender', 'Content-Disposition'])(
  '%s is given in vain, and no reason to refuse anything',
  (name) => {
    expect(refuseHeader(name, 'x'.repeat(9_000))).toBeNull()
    expect(isReserved(name)).toBe(true)
  },
)

test('every reserved name is a header name in lower case', () => {
  expect([...RESERVED_HEADERS].filter((name) => !isHeaderName(name) || name !== name.toLowerCase())).toEqual([])
})
