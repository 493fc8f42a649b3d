import { expect, test } from 'vitest'
import { terminates } from '../../../test/harness/watchdog.ts'
import { atOnce } from '../steps.ts'
import { quotableHtml } from './quotable-html.ts'

const quotable = (html: string) => atOnce(quotableHtml(html))

test('ordinary mail stays as it is', () => {
  const html =
    '<table width="100%" style="color:#333;font-family:&quot;Segoe UI&quot;"><tr><td align="center">Hi &amp; <b>bye</b><br>' +
    '<a href="https://acme.dev/?a=1&amp;b=2">there</a> <img src="cid:logo" alt="Logo"></td></tr></table>'

  expect(quotable(html)).toBe(html)
})

test.each([
  [
    'a page',
    '<!doctype html><html><head><title>T</title><style>p{display:none}</style></head><body class="x"><p>Hi</p></body></html>',
    '<p>Hi</p>',
  ],
  ['what it has not opened', 'a</blockquote></div></td></table>b', 'ab'],
  ['what it does not close', '<div><blockquote><b>a', '<div><blockquote><b>a</b></blockquote></div>'],
  ['ends in the wrong order', '<b><i>a</b></i>c', '<b><i>a</i></b>c'],
  ['ends that people leave out', '<ul><li>a<li>b</ul><p>c<p>d', '<ul><li>a</li><li>b</li></ul><p>c</p><p>d</p>'],
  [
    'rows that people leave open',
    '<table><tr><td>a<td>b<tr><td>c</table>',
    '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>',
  ],
  ['a comment that does not end', 'a<!-- b </blockquote> c', 'a'],
  ['a comment for Outlook', '<!--[if mso]><table><tr><td><![endif]-->a<![if !mso]>b<![endif]>', 'ab'],
  ['a tag that does not end', 'a<div style="', 'a'],
  [
    'programs',
    '<script>alert("</p>")</script><p onclick="x()">a</p><a href="javascript:x()">b</a>',
    '<p>a</p><a>b</a>',
  ],
  ['a program behind an entity', '<a href="java&#115;cript:x()">b</a>', '<a>b</a>'],
  ['forms', '<form action="https://evil.test"><input name="a"><button>Pay</button></form>', 'Pay'],
  ['another page inside', 'a<iframe src="https://evil.test"><b>x</iframe>b<base href="https://evil.test">', 'ab'],
  ['other languages', 'a<svg><p>x</p></svg>b<math><mi>y</mi></math>c', 'abc'],
  [
    'what lies over the answer',
    '<div style="position:fixed;top:0">a</div><p style="p\\6fsition:fixed">b</p>',
    '<div>a</div><p>b</p>',
  ],
  [
    'quotes in values',
    `<a title='"><script>x</script>' href='https://a.test'>b</a>`,
    '<a title="&quot;&gt;&lt;script&gt;x&lt;/script&gt;" href="https://a.test">b</a>',
  ],
  ['signs that are no tags', '1 < 2 > 0', '1 &lt; 2 &gt; 0'],
  ['names of every object', '<constructor>a</constructor><p __proto__="x">b</p>', 'a<p>b</p>'],
])('%s: nothing leaves the quotation', (_what, html, expected) => {
  expect(quotable(html)).toBe(expected)
})

test('what is too deep, or grows too much, is quoted as text', () => {
  expect(quotable('<div>'.repeat(1_000))).toBeNull()
  expect(quotable(`<a title='${'"'.repeat(100_000)}'>x</a>`)).toBeNull()
})

test('what is hostile takes no longer than what is long', () => {
  // More than is quoted of any mail.
  const long = 512 * 1024
  const bad = [
    '<div>',
    '</div>',
    '<',
    '<a b=',
    '<!--',
    '&',
    '<p>',
    '<td>',
    '<iframe>',
    '<p style="position:',
    "<b '",
    '<b></p>',
  ]

  for (const piece of bad) {
    const html = piece.repeat(Math.ceil(long / piece.length))
    terminates(() => quotable(html))
  }
})
