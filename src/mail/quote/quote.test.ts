import { expect, test } from 'vitest'
import { atOnce } from '../steps.ts'
import * as quote from './quote.ts'
import { forwardHeaders, replyHeaders } from './references.ts'

const { MAX_QUOTED_LENGTH, shownFiles } = quote
const withQuote = (bodies: quote.Bodies, quoted: quote.Quoted) => atOnce(quote.withQuote(bodies, quoted))
const forwarded = (bodies: quote.Bodies, quoted: quote.Quoted) => atOnce(quote.forwarded(bodies, quoted))

const QUOTED: quote.Quoted = {
  from: 'Ada <ada@example.net>',
  to: ['desk@acme.dev'],
  cc: ['Bob <bob@example.net>'],
  subject: 'Question',
  sentAt: new Date('2026-11-03T09:05:30Z'),
  html: '<p>How <b>much</b>?</p>',
  text: 'How much?\n> before',
}

test('a reply has what it answers below, in each of its forms', () => {
  const { html, text } = withQuote({ html: '<p>Five.</p>', text: 'Five.' }, QUOTED)

  expect(text).toBe('Five.\n\nOn Tue, 3 Nov 2026 at 09:05 UTC, Ada <ada@example.net> wrote:\n> How much?\n>> before\n')
  expect(html).toMatch(/^<p>Five\.<\/p><br><div class="gmail_quote"><div>On Tue, 3 Nov 2026 at 09:05 UTC, Ada &lt;ada@/)
  expect(html).toMatch(/<blockquote [^>]*><p>How <b>much<\/b>\?<\/p><\/blockquote><\/div>$/)
  expect(withQuote({ html: null, text: 'Five.' }, QUOTED).html).toBeNull()
  expect(withQuote({ html: '<p>Five.</p>', text: null }, QUOTED).text).toBeNull()
})

test('the quotation stands inside of a page', () => {
  const { html } = withQuote({ html: '<html><body><p>Five.</p></body></html>', text: null }, QUOTED)

  expect(html).toMatch(/^<html><body><p>Five\.<\/p><br><div.*<\/div><\/body><\/html>$/)
})

test('what has one form only is quoted in the other', () => {
  expect(withQuote({ html: '<p>a</p>', text: null }, { ...QUOTED, html: null, text: '1 < 2\nb' }).html).toContain(
    '<div>1 &lt; 2<br>b</div></blockquote>',
  )
  expect(withQuote({ html: null, text: 'a' }, { ...QUOTED, text: null }).text).toContain('> How much?')
})

test('html that is too long is quoted as text, and text is cut', () => {
  const html = `<p>${'x'.repeat(MAX_QUOTED_LENGTH)}</p>`
  const long = withQuote(
    { html: '<p>a</p>', text: 'a' },
    { ...QUOTED, html, text: `${'y '.repeat(MAX_QUOTED_LENGTH)}` },
  )

  expect(long.html).not.toContain('xxx')
  expect(long.html!.length).toBeLessThan(MAX_QUOTED_LENGTH + 1_000)
  expect(long.text!.trimEnd().endsWith('…')).toBe(true)
})

test('a forward has a note above the banner and the message', () => {
  const { html, text } = forwarded({ html: null, text: 'See below.' }, QUOTED)

  expect(text).toBe(
    [
      'See below.\n',
      '---------- Forwarded message ---------',
      'From: Ada <ada@example.net>',
      'Date: Tue, 3 Nov 2026 at 09:05 UTC',
      'Subject: Question',
      'To: desk@acme.dev',
      'Cc: Bob <bob@example.net>\n',
      'How much?',
      '> before\n',
    ].join('\n'),
  )
  expect(html).toMatch(
    /^<div>See below\.<\/div><br><div class="gmail_quote"><div>-+ Forwarded message -+<br>From: Ada &lt;/,
  )
  expect(html).toMatch(/<p>How <b>much<\/b>\?<\/p><\/div>$/)
  expect(forwarded({ html: null, text: null }, { ...QUOTED, html: null }).html).toBeNull()
})

test('what somebody calls themselves stays in its line', () => {
  const hostile = { ...QUOTED, from: '"<b>x</b>\u0007\r\nTo: you" <a@b.test>', subject: 'a\r\nBcc: me@evil.test' }

  expect(forwarded({ html: null, text: null }, hostile).text).toContain('\nSubject: a Bcc: me@evil.test\n')
  expect(withQuote({ html: '<p>a</p>', text: null }, hostile).html).toContain('&lt;b&gt;x&lt;/b&gt; To: you')
})

test('the files that html shows are known by their names', () => {
  expect(shownFiles('<img src="cid:Logo%40acme"><td background=cid:b>')).toEqual(new Set(['logo@acme', 'b']))
  expect(shownFiles('<img src="cid:%E0%A4%A">')).toEqual(new Set(['%e0%a4%a']))
  expect(shownFiles(null)).toEqual(new Set())
})

test('a reply names what it answers, and all that was before', () => {
  const original = { messageId: '<c@x>', references: ['<a@x>', '<b@x>'] }

  expect(replyHeaders(original)).toEqual({ 'In-Reply-To': '<c@x>', References: '<a@x> <b@x> <c@x>' })
  expect(forwardHeaders(original)).toEqual({ References: '<a@x> <b@x> <c@x>' })
  expect(replyHeaders({ messageId: null, references: [] })).toEqual({})
})

test('of endless references the first and the last are named, and what is none is not', () => {
  const many = Array.from({ length: 500 }, (_, n) => `<${n}@x>`)
  const named = replyHeaders({ messageId: '<last@x>', references: many }).References!.split(' ')
  const long = replyHeaders({
    messageId: '<last@x>',
    references: many.map((id) => `<${'x'.repeat(800)}${id.slice(1)}`),
  })

  expect(named).toHaveLength(50)
  expect([named[0], named[1], named.at(-1)]).toEqual(['<0@x>', '<452@x>', '<last@x>'])
  expect(long.References!.length).toBeLessThanOrEqual(7_500)
  expect(replyHeaders({ messageId: '<a@x>\r\nBcc: b@c', references: ['<ü@x>', '<a b@x>', 'a@x', '<ok@x>'] })).toEqual(
    {},
  )
})
