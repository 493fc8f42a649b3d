import { expect, test } from 'vitest'
import { terminates } from '../../test/harness/watchdog.ts'
import { prepareContent } from './broadcast.ts'
import { personalise, personaliseSubject } from './personal.ts'

const URL = 'https://mail.acme.dev/unsubscribe/token'
const content = (html: string | null, text: string | null = '', previewText: string | null = null) =>
  prepareContent({ html, text, previewText })

test('what a contact has goes in, in html as text, in text as it is', () => {
  const copy = personalise(
    content('<p>{{{FIRST_NAME}}}</p>', 'Hi {{{FIRST_NAME}}}'),
    { FIRST_NAME: '<b>"A&B"</b>' },
    URL,
  )

  expect(copy).toEqual({ html: '<p>&lt;b&gt;&quot;A&amp;B&quot;&lt;/b&gt;</p>', text: 'Hi <b>"A&B"</b>' })
})

test('what a contact brings is never taken for a placeholder', () => {
  const variables = { FIRST_NAME: '{{{EMAIL}}} $& {{{RESEND_UNSUBSCRIBE_URL}}}', EMAIL: 'secret@acme.dev' }
  const copy = personalise(content('{{{FIRST_NAME}}}', '{{{FIRST_NAME}}}', 'Dear {{{FIRST_NAME}}}'), variables, URL)

  for (const text of [copy.html, copy.text, personaliseSubject('{{{FIRST_NAME}}}', variables)]) {
    expect(text).not.toContain('secret@acme.dev')
    expect(text).not.toContain(URL)
  }
})

test('what a contact has not is what the author wrote instead, or nothing', () => {
  const copy = personalise(
    content('{{{FIRST_NAME|<i>you</i>}}}, {{{toString}}}{{{plan|free}}}', '{{{FIRST_NAME|you}}}'),
    {},
    URL,
  )

  expect(copy).toEqual({ html: '<i>you</i>, free', text: 'you' })
})

test.each(['RESEND_UNSUBSCRIBE_URL', 'UNSUBSCRIBE_URL'])('{{{%s}}} is the way out', (name) => {
  const copy = personalise(
    content(`<a href="{{{${name}}}}">Stop</a>`, `{{{${name}|x}}}`),
    { [name]: 'https://evil.dev' },
    URL,
  )

  expect(copy).toEqual({ html: `<a href="${URL}">Stop</a>`, text: URL })
})

test('a text that is not given is made from the html, with what is each recipient’s own', () => {
  const html = '<h1>Dear {{{FIRST_NAME|friend}}}</h1><p>5 &lt; 6 <a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Stop</a></p>'
  const copy = personalise(content(html, null), { FIRST_NAME: 'A & <b>' }, URL)

  expect(copy.text).toBe(`Dear A & <b>\n\n5 < 6 Stop <${URL}>`)
})

test('a text that is given as nothing is not wanted', () => {
  expect(content('<p>Hi</p>', '').text).toBeNull()
  expect(content(null, 'Hi')).toEqual({ html: null, text: 'Hi' })
})

test('the preview stands hidden at the top of the body, and not in the text', () => {
  const html = '<!doctype html><html><head></head><body class="a>b"><p>Hi</p></body></html>'
  const { html: shown, text } = content(html, null, 'Tom & {{{FIRST_NAME|you}}}')

  expect(shown).toMatch(
    /<body class="a>b"><div style="display:none[^>]*>Tom &amp; {{{FIRST_NAME\|you}}}(&nbsp;&zwnj;)+<\/div><p>Hi/,
  )
  expect(text).toBe('Hi')
  expect(content('<p>Hi</p>', null, 'Psst').html).toMatch(/^<div style="display:none.*Psst.*<\/div><p>Hi<\/p>$/)
})

test('a body of nothing but tags that never end takes time for its length', () => {
  for (const piece of ['<body ', '<body "', "<body a='"]) {
    const hostile = piece.repeat(500_000)

    expect(terminates(() => content(hostile, '', 'Psst')).html).toContain('Psst')
  }
})

test('control characters in a name do no harm in a subject', () => {
  const subject = personaliseSubject('Hi {{{FIRST_NAME}}}!', { FIRST_NAME: 'Ada\r\nBcc: eve@evil.dev\0\u2028\u0085x' })

  expect(subject).toBe('Hi Ada Bcc: eve@evil.dev x!')
})
