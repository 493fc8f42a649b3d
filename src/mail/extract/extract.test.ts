import { expect, test } from 'vitest'
import { terminates } from '../../../test/harness/watchdog.ts'
import { visitHtml } from '../html-visitor.ts'
import { atOnce, type Steps } from '../steps.ts'
import { collectLines, linesOfText } from './code-lines.ts'
import { extractContent } from './content.ts'
import { extractImages } from './images.ts'
import { extractLinks, linksOfText } from './links.ts'
import { extractUnsubscribe } from './unsubscribe.ts'

const hrefs = (text: string) => extractLinks(null, text).map(({ href }) => href)

test('links come in order, with the words that people see', () => {
  const html = `
    <a href="https://x.example/a?b=1&amp;c=2">Con<b>firm</b>
      it</a> <a href=" https://x.example/very/
long ">Long</a>
    <a href="https://x.example/shop"><table><tr><td>To the</td><td>shop</td></tr></table></a>
    <a href="https://x.example/logo"><img src="logo.png" alt="Acme"></a>
    <map><area href="/relative" alt="Region"></map>
    <a href=mailto:ada@example.com>Write</a> <a href="tel:+15550100">Call</a>`

  expect(extractLinks(html, 'https://other.example')).toEqual([
    { text: 'Confirm it', href: 'https://x.example/a?b=1&c=2' },
    { text: 'Long', href: 'https://x.example/very/long' },
    { text: 'To the shop', href: 'https://x.example/shop' },
    { text: 'Acme', href: 'https://x.example/logo' },
    { text: 'Region', href: '/relative' },
    { text: 'Write', href: 'mailto:ada@example.com' },
    { text: 'Call', href: 'tel:+15550100' },
  ])
})

test('the same link is told once, and a bare picture beside words with its address not at all', () => {
  const html = `<a href="https://x.example/"><img src="a"></a><a href="https://x.example/">Open</a>
    <a href="https://x.example/">Open</a><a href="https://x.example/">Look</a><a href="https://y.example/"><img src="b"></a>`

  expect(extractLinks(html, null)).toEqual([
    { text: 'Open', href: 'https://x.example/' },
    { text: 'Look', href: 'https://x.example/' },
    { text: '', href: 'https://y.example/' },
  ])
})

test('places on the page, programs, comments and styles are no links', () => {
  const html = `<a href="#top">Up</a><a href="">Nothing</a><a>None</a><a href="javascript:alert(1)">Run</a>
    <!-- <a href="https://hidden.example">x</a> --><style>a[href="https://style.example"]{}</style>`

  expect(extractLinks(html, null)).toEqual([])
})

test.each([
  ['See https://x.example/a.', ['https://x.example/a']],
  ['(https://x.example/a_(b)) and (see https://x.example/c)', ['https://x.example/a_(b)', 'https://x.example/c']],
  ['<https://x.example/?a=1&b=2>', ['https://x.example/?a=1&b=2']],
  ['"https://x.example/a", „https://x.example/b“', ['https://x.example/a', 'https://x.example/b']],
  ['[Confirm](https://x.example/a) *https://x.example/b*', ['https://x.example/a', 'https://x.example/b']],
  ['请点击https://x.example/a完成验证。https://x.example/b。', ['https://x.example/a', 'https://x.example/b']],
  ['リンク：https://x.example/a」', ['https://x.example/a']],
  ['www.example.com, WWW.example.org!', ['http://www.example.com', 'http://WWW.example.org']],
  ['mailto:ada@example.com tel:+1555 https://', ['mailto:ada@example.com', 'tel:+1555']],
  ['https://x.example/a#b=1;c https://x.example/a#b=1;c', ['https://x.example/a#b=1;c']],
  ['nothttps://x.example notwww.example.com', []],
])('links of the text %s', (text, found) => {
  expect(hrefs(text)).toEqual(found)
})

function stepsOf(steps: Steps<unknown>): number {
  let count = 1
  while (!steps.next().done) count += 1
  return count
}

test('a long text is looked through in short steps, for links and for codes', () => {
  expect(stepsOf(linksOfText(`https://x.example/${'a'.repeat(4_981)} `.repeat(100)))).toBeGreaterThanOrEqual(50)
  expect(stepsOf(linesOfText('1\n'.repeat(10_000)))).toBeGreaterThan(100)
})

test('2,000 addresses of a text are looked at, and those that are none or longer than any count, too', () => {
  expect(hrefs(`${'http://. '.repeat(1_999)}https://x.example/`)).toEqual(['https://x.example/'])
  expect(hrefs(`${'http://. '.repeat(2_000)}https://x.example/`)).toEqual([])
  expect(hrefs(`https://x.example/${'.'.repeat(10_000)} https://y.example/`)).toEqual(['https://y.example/'])
})

test('of what an image says instead the beginning is read', () => {
  const alt = (spaces: number) => `alt="${' '.repeat(spaces)}x${' x'.repeat(1_000)}"`

  expect(extractLinks(`<area href="/a" ${alt(5)}>`, null)[0]!.text).toHaveLength(1_000)
  expect(extractLinks(`<area href="/a" ${alt(8_000)}>`, null)[0]!.text).toBe('')
  expect(extractImages(`<img src="/a" ${alt(5)}>`)[0]!.alt).toHaveLength(1_001)
  expect(extractImages(`<img src="/a" ${alt(8_000)}>`)[0]!.alt).toBe('')
})

test('boxes of one character make a line, and thousands make many', () => {
  const lines = collectLines()
  atOnce(visitHtml(`<p>482913 </p>${'<p>1</p>'.repeat(6)}<p>and</p>${'<p>1</p>'.repeat(10_000)}`, lines))

  const [first, second, , ...rest] = lines.found().map(({ text }) => text)
  expect([first, second]).toEqual(['482913', '1 1 1 1 1 1'])
  expect(rest).toHaveLength(250)
})

test('images come with what they say instead, and an empty alt is not a missing one', () => {
  const html = `<img src="a.png"><img src="b.png" alt=""><img src=" cid:c " alt=" Our
    logo "><img alt="nothing"><img src="data:image/png;base64,${'A'.repeat(10_000)}" alt="inside">`

  const images = extractImages(html)

  expect(images.slice(0, 3)).toEqual([
    { src: 'a.png', alt: null },
    { src: 'b.png', alt: '' },
    { src: 'cid:c', alt: 'Our logo' },
  ])
  expect(images[3]!.src).toHaveLength(2_049)
})

const unsubscribe = (value: string, post?: string) =>
  extractUnsubscribe([
    { name: 'list-unsubscribe', value },
    ...(post === undefined ? [] : [{ name: 'List-Unsubscribe-Post', value: post }]),
  ])

test.each([
  ['<https://x.example/u>', { url: 'https://x.example/u', mailto: null }],
  [
    '<mailto:u@x.example?subject=out>, <https://x.example/u>',
    { url: 'https://x.example/u', mailto: 'mailto:u@x.example?subject=out' },
  ],
  ['<http://x.example/u>, <HTTPS://x.example/s>', { url: 'HTTPS://x.example/s', mailto: null }],
  [
    '(comment)\r\n <https://x.example/u/\r\n abc>\r\n ,\r\n\t<mailto:u@x.example>',
    { url: 'https://x.example/u/abc', mailto: 'mailto:u@x.example' },
  ],
  ['https://x.example/u, mailto:u@x.example', { url: 'https://x.example/u', mailto: 'mailto:u@x.example' }],
])('the way out in %j', (value, expected) => {
  expect(unsubscribe(value)).toEqual({ ...expected, one_click: false })
})

test.each([
  '',
  '<>',
  '<javascript:alert(1)>',
  'NO',
  '<https://>',
  '<mailto:>',
  '<'.repeat(10_000),
  '<<<>>>',
  '<a'.repeat(9_000),
])('there is no way out in %j', (value) => {
  expect(unsubscribe(value, 'List-Unsubscribe=One-Click')).toBeNull()
})

test('one click is what the second header says, beside an address on the web', () => {
  expect(unsubscribe('<https://x.example/u>', 'List-Unsubscribe=One-Click')?.one_click).toBe(true)
  expect(unsubscribe('<https://x.example/u>', ' list-unsubscribe=one-click\r\n')?.one_click).toBe(true)
  expect(unsubscribe('<https://x.example/u>', 'Yes')?.one_click).toBe(false)
  expect(unsubscribe('<mailto:u@x.example>', 'List-Unsubscribe=One-Click')?.one_click).toBe(false)
})

const HOSTILE: Record<string, string> = {
  'open tags': '<div>'.repeat(200_000),
  'open links': '<a href="https://x.example/">x'.repeat(35_000),
  'closing tags': '</td>'.repeat(200_000),
  'one tag without an end': `<a href="${'x'.repeat(1_000_000)}`,
  'one tag with many attributes': `<a ${'b '.repeat(500_000)}>`,
  entities: '&amp;'.repeat(200_000),
  'addresses and dots': `https://x.example/${'.'.repeat(1_000_000)}`,
  numbers: '1234 '.repeat(200_000),
  'digits and dashes': '1-'.repeat(500_000),
  'words for codes': 'code 123456 '.repeat(80_000),
  letters: 'A'.repeat(1_000_000),
  'e-mail addresses': 'a@'.repeat(500_000),
  spaces: `code${' '.repeat(1_000_000)}123456`,
  'tags that end nothing': `${'<b>'.repeat(300)}${'</i>'.repeat(250_000)}`,
  'long styles': `<p style="${'font:'.repeat(500)}">x`.repeat(400),
  comments: '<!--'.repeat(250_000),
}

test.each(Object.keys(HOSTILE))('600 kB of %s take time for their length', (kind) => {
  const hostile = HOSTILE[kind]!.slice(0, 600_000)

  // What is not linear takes minutes.
  terminates(() => {
    atOnce(extractContent({ subject: hostile, html: hostile, text: null }))
    atOnce(extractContent({ subject: null, html: null, text: hostile }))
  })
})
