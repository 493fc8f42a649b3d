import { expect, test } from 'vitest'
import { terminates } from '../../test/harness/watchdog.ts'
import { roughText } from './rough-text.ts'
import { snippetOf } from './snippet.ts'

const wordsOf = (html: string) => roughText(html).split(/\s+/).filter(Boolean).join(' ')

test.each([
  ['<p>Hello <b>wor</b>ld</p><p>again</p>', 'Hello world again'],
  ['<style>p { color: red }</style><p>Hi</p><script>alert("<p>no</p>")</script>!', 'Hi !'],
  ['<head><title>Never</title></head><header>Shown</header>', 'Shown'],
  ['<!-- <p>no</p> -->yes<![endif]-->', 'yes'],
  ['<td>one</td><td>two</td>', 'one two'],
  ['Gr&uuml;&szlig;e &amp; 3 &lt; 4 &#8364; &#x20ac; &nope; &#xd800;', 'Grüße & 3 < 4 € € &nope;'],
  ['3 < 4 and 5 > 4', '3 < 4 and 5 > 4'],
  ['never <a href="', 'never'],
])('the words of %j are %j', (html, expected) => {
  expect(wordsOf(html)).toBe(expected)
})

test.each(['<', '<a', '<p>', '<style>', '<!--', '&', '&#', '</script', '<style></style>', '>'])(
  '1 MB of %j takes time for its length',
  (piece) => {
    const hostile = piece.repeat(1_000_000 / piece.length)

    expect(terminates(() => roughText(hostile)).length).toBeLessThanOrEqual(hostile.length)
  },
)

test.each([
  ['Hi Ada,\n\nthanks!\n', 'Hi Ada, thanks!'],
  ['On Sun, 15 Nov 2026, Ada <ada@x.test> wrote:\n> Hi\n> there\n\nYes.', 'Yes.'],
  ['On Sun, 15 Nov 2026, Ada Lovelace of the Engines\n<ada@x.test> wrote:\n> Hi\n\nYes.', 'Yes.'],
  ['Am 15.11.2026 um 10:00 schrieb Ada:\n> Hallo\nJa.', 'Ja.'],
  ['Yes.\n-----Original Message-----\nFrom: Ada\nHi', 'Yes.'],
  ['> only\n>> quoted', 'only quoted'],
  ['On one condition: yes.\nOn the other hand, no.', 'On one condition: yes. On the other hand, no.'],
  ['Sale\u200c \u034f\u200c \u034f now', 'Sale now'],
  ['', ''],
])('%j begins with %j', (text, expected) => {
  expect(snippetOf(text)).toBe(expected)
})

test('a snippet has 200 characters, and none is cut in two', () => {
  expect(Array.from(snippetOf('👩‍🚀'.repeat(1_000)))).toHaveLength(200)
  expect(snippetOf('x'.repeat(200))).toBe('x'.repeat(200))
  expect(snippetOf('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`)
})
