import { describe, expect, test } from 'vitest'
import { terminates } from '../../test/harness/watchdog.ts'
import { textOf } from './html-text.ts'

test('a mail reads as text', () => {
  const html = `<html><head><title>No</title><style>p{}</style></head><body>
    <div data-skip-in-text="true">Preview</div><h1>Straße &amp; Co</h1>
    <p>Dear <b>Ada</b>, read <a href="https://example.com/a?b=1&amp;c=2">this</a> or
    <a href="https://example.com">https://example.com</a>.<img src="x.png" alt="No"></p>
    <ul><li>one</li><li>two<ol><li>deep</li></ol></li></ul>
    <table><tr><td>Sum</td><td>5 €</td></tr><tr><td>Tax</td><td>1 €</td></tr></table>
    <blockquote>Quoted</blockquote><script>no()</script></body></html>`

  expect(textOf(html)).toBe(
    [
      'Straße & Co',
      '',
      'Dear Ada, read this <https://example.com/a?b=1&c=2> or https://example.com.',
      '',
      ' * one',
      ' * two',
      '   1. deep',
      '',
      'Sum 5 €',
      'Tax 1 €',
      '',
      '> Quoted',
    ].join('\n'),
  )
})

test.each(['', ' ', '<img src="x">', '<', '</p>', '<!-- <p> -->'])('%j does not break it', (html) => {
  expect(textOf(html)).toMatch(/^<?$/)
})

// Without bounds 1 MB of some of them took more than a minute, and all of them the square of their length.
describe('4 MB of hostile html take time for their length', () => {
  const fill = (piece: string) => piece.repeat(4_000_000 / piece.length)
  test.each([
    ['nested divs', fill('<div>')],
    ['lines in quotations', `${'<blockquote>'.repeat(250)}<pre>${fill('a\n')}`],
    ['words in links', `${'<a href="x">'.repeat(250)}${fill('word ')}`],
    ['tags that close nothing', `${'<div>'.repeat(10_000)}${fill('</b>')}`],
    ['white space', `<pre>${fill(' ')}x`],
  ])('%s', (_, html) => {
    expect(terminates(() => textOf(html)).length).toBeLessThan(2_000_000)
  })
})

test('pictures inside the html do not take the place of its words', () => {
  const picture = `<img src="data:image/png;base64,${'A'.repeat(1_000_000)}">`

  expect(textOf(`${picture}<p>First</p>${picture}<p>Last</p>`)).toBe('First\n\nLast')
})
