import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { noticePage, publicPage } from './public-page.ts'

const ACME = { name: 'Acme', accentColor: null, logoUrl: null }
const PAGE = { title: 'Hello', sender: ACME, policy: "form-action 'self'", body: '<p>Hi</p>' }
const policyOf = (page: Parameters<typeof publicPage>[0]) => publicPage(page).headers['content-security-policy']!

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
  expect(policyOf({ ...PAGE, showsMail: true })).toContain("style-src 'unsafe-inline'; img-src data:;")
})

test('a page of a team with a logo and a colour shows both, and the policy names them alone', () => {
  const logoUrl = 'https://mail.acme.dev/images/abc.def'
  const page = { ...PAGE, sender: { ...ACME, accentColor: '#FFDD00', logoUrl } }
  const body = String(publicPage(page).body)
  const styles = [...body.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style]) => style!)

  expect(body).toContain(`<header><img src="${logoUrl}" alt="">Acme</header>`)
  expect(styles[1]).toContain('--primary: #FFDD00; --primary-text: #000000;')
  const hashes = styles.map((style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`)
  expect(policyOf(page)).toContain(`style-src ${hashes.join(' ')}; img-src data: ${logoUrl}; form-action`)
  expect(policyOf({ ...page, showsMail: true })).toContain(`style-src 'unsafe-inline'; img-src data: ${logoUrl};`)
})

test.each(['red', '#fff', '#ffffff}', '#fffff;', '#12345g', '</style><script>alert(1)</script>', '#ffffff\n'])(
  '%j is no colour, and nothing of it is on the page',
  (accentColor) => {
    const page = { ...PAGE, sender: { ...ACME, accentColor } }

    expect(publicPage(page)).toEqual(publicPage(PAGE))
  },
)

test('an address of a logo cannot end its directive or its attribute', () => {
  const page = { ...PAGE, sender: { ...ACME, logoUrl: 'https://a.dev/;script-src,*/"><script>' } }

  expect(policyOf(page)).toContain('img-src data: https://a.dev/%3Bscript-src%2C*/')
  expect(policyOf(page)).not.toContain('; script-src')
  expect(publicPage(page).body).not.toContain('<script>')
})

test('what others call themselves is text', () => {
  const body = String(
    publicPage({ ...PAGE, title: '<b>&"', sender: { ...ACME, name: '<script>alert(1)</script>' } }).body,
  )

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
