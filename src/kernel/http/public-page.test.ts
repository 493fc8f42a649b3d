import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { noticePage, publicPage } from './public-page.ts'

const PAGE = { title: 'Hello', sender: 'Acme', policy: "form-action 'self'", body: '<p>Hi</p>' }

test('a page has one style sheet, which the policy names by its content, and no script', () => {
  const { headers, body } = publicPage(PAGE)
  const policy = headers['content-security-policy']!
  const [, style] = /<style>(.*?)<\/style>/s.exec(String(body))!

  expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style!).digest('base64')}';`)
  expect(policy).toMatch(/^default-src 'none';.*form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/)
  expect(policy).not.toMatch(/unsafe|script-src/)
  expect(body).not.toMatch(/ style=|<script/)
})

test('a page with a mail in it lets that have its styles', () => {
  expect(publicPage({ ...PAGE, showsMail: true }).headers['content-security-policy']).toContain(
    "style-src 'unsafe-inline'",
  )
})

test('what others call themselves is text', () => {
  const body = String(publicPage({ ...PAGE, title: '<b>&"', sender: '<script>alert(1)</script>' }).body)

  expect(body).toContain('<h1>&lt;b&gt;&amp;&quot;</h1>')
  expect(body).toContain('<header>&lt;script&gt;alert(1)&lt;/script&gt;</header>')
})

test('a notice is of the installation, with a way on where there is one', () => {
  const notice = { status: 403, title: 'Sign-in failed', text: 'a < b' }

  expect(noticePage(notice)).toMatchObject({ status: 403, body: expect.stringContaining('<p>a &lt; b</p>') })
  expect(noticePage(notice).body).toContain('<header>Postwren</header>')
  expect(noticePage({ ...notice, link: { path: '/dashboard?a&b', text: 'Back' } }).body).toContain(
    '<a href="/dashboard?a&amp;b">Back</a>',
  )
})
