import { describe, expect, test } from 'vitest'
import type { App } from '../../../test/harness/app.ts'
import { arrive, RICH, receivingDomain } from '../../../test/harness/arriving.ts'
import { sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import { escapeHtml } from '../../mail/html.ts'
import { readDuration } from './share.ts'

const open = (app: App, url: string) => app.server.inject({ method: 'GET', url: url.replace(/^https?:\/\/[^/]+/, '') })

/** Sends an email and shares it. */
async function start(fields: object = {}, options: object = {}) {
  const { app, acme } = await startAcme({ POSTWREN_PUBLIC_URL: 'https://mail.acme.dev/' })
  const id = await sendEmail(acme, fields)
  const { body } = await acme.post(`/emails/${id}/share`, options)
  return { app, acme, id, body, page: () => open(app, body.url) }
}

describe('sharing an email', () => {
  test('gives a link that works without a key', async () => {
    const { id, body, page } = await start({ cc: 'bob@example.com', bcc: 'eve@example.com' })

    const { statusCode, headers, body: html } = await page()

    expect(body).toEqual({
      object: 'email',
      id,
      url: expect.stringMatching(/^https:\/\/mail\.acme\.dev\/shared\?token=/),
    })
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(html).toContain('Acme &lt;hello@acme.dev&gt;')
    expect(html).toContain('ada@example.com')
    expect(html).toContain('srcdoc="&lt;p&gt;Hi&lt;/p&gt;"')
    expect(html).not.toContain('eve@example.com')
  })

  test('gives one for the address of the installation, and not for the hosts of its teams', async () => {
    const { app, body } = await start()
    const url = body.url.replace('https://mail.acme.dev', '')
    const at = async (host: string) => (await app.server.inject({ method: 'GET', url, headers: { host } })).statusCode

    expect([await at('mail.acme.dev'), await at('127.0.0.1:4025'), await at('links.globex.dev')]).toEqual([
      200, 200, 404,
    ])
  })

  test('needs no body, and lasts two days unless it is told otherwise', async () => {
    const { app, acme, id, page } = await start()
    const { body: bare } = await acme.post(`/emails/${id}/share`)
    const day = 86_400

    app.clock.advance(2 * day)
    const inTime = [(await page()).statusCode, (await open(app, bare.url)).statusCode]
    app.clock.advance(1)
    const late = await page()

    expect(inTime).toEqual([200, 200])
    expect(late.statusCode).toBe(404)
    expect(late.body).toContain('<p>This link is not valid, or it has expired.</p>')
  })

  test('lasts as long as it is asked to', async () => {
    const { app, page } = await start({}, { expires_in: '10m' })

    app.clock.advance(600)
    expect((await page()).statusCode).toBe(200)
    app.clock.advance(1)
    expect((await page()).statusCode).toBe(404)
  })

  test('lasts no longer than two days', async () => {
    const { acme, id } = await start()
    const share = async (expires_in: unknown) => (await acme.post(`/emails/${id}/share`, { expires_in })).body

    expect(await share('48h')).toMatchObject({ object: 'email' })
    expect(await share(null)).toMatchObject({ object: 'email' })
    for (const tooLong of ['49 hours', '3 days', '2881m', '999999d'])
      expect(await share(tooLong)).toEqual({
        statusCode: 422,
        message: 'expires_in must not exceed 48 hours',
        name: 'validation_error',
      })
    for (const nonsense of ['', '10', 'h', '-1h', '0m', '1.5h', '5ms', '1 fortnight', '9999999m'])
      expect((await share(nonsense)).message, nonsense).toBe(
        'Invalid `expires_in` field. It must be like `10m`, `2 hours` or `1 day`.',
      )
    expect((await share(5)).name).toBe('validation_error')
  })

  test('is for those who have the email', async () => {
    const { app, acme, id } = await start()

    const theirs = await (await app.as('globex')).post(`/emails/${id}/share`, {})
    const unknown = await acme.post(`/emails/${newId()}/share`, {})

    for (const { body } of [theirs, unknown])
      expect(body).toEqual({ statusCode: 404, message: 'Email not found', name: 'not_found' })
  })

  test('cannot be done by hand', async () => {
    const { app, acme, id, body } = await start()
    const token = body.url.split('token=')[1]
    const attached = await acme.get(
      `/emails/${await sendEmail(acme, { attachments: [{ filename: 'a', content: '' }] })}/attachments`,
    )
    const download = attached.body.data[0].download_url.split('/').at(-2)

    for (const forged of ['', 'x', `${token}x`, `x${token}`, `${token}.x`, id, download, `${token}&token=${token}`])
      expect((await open(app, `/shared?token=${forged}`)).statusCode, forged).toBe(404)
    expect((await open(app, '/shared')).statusCode).toBe(404)
  })
})

describe('the page of a shared email', () => {
  test('shows hostile mail as text, and its html in a frame that can do nothing', async () => {
    const { page } = await start({
      from: '"<img src=x onerror=alert(1)>" <eve@example.com>',
      subject: '</title><script>alert("subject")</script>',
      html: `<script>alert('html')</script>"><script>alert(2)</script>&quot;`,
    })

    const { headers, body } = await page()

    expect(body).not.toMatch(/<script|<img/i)
    expect(body).toContain('<title>&lt;/title&gt;&lt;script&gt;alert(&quot;subject&quot;)&lt;/script&gt;</title>')
    expect(body).toContain(
      '<iframe sandbox="" title="The email" srcdoc="&lt;script&gt;alert(&#39;html&#39;)&lt;/script&gt;&quot;&gt;&lt;script&gt;alert(2)&lt;/script&gt;&amp;quot;">',
    )
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).not.toContain('script-src')
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'cache-control': 'no-store',
    })
  })

  test('shows the images that came with it', async () => {
    const logo = { filename: 'logo.png', content: 'iVBORw0KGgo=', content_id: 'logo' }
    const { page } = await start({ html: '<img src="cid:logo"><img src="cid:nobody">', attachments: [logo] })

    expect((await page()).body).toContain(
      'srcdoc="&lt;img src=&quot;data:image/png;base64,iVBORw0KGgo=&quot;&gt;&lt;img src=&quot;cid:nobody&quot;&gt;"',
    )
  })

  test('works for mail that was received, read or not', async () => {
    const { app, acme } = await startAcme()
    const { domain } = await receivingDomain(acme)
    const { message: id } = await arrive(app, RICH, { to: [`desk@${domain}`] })

    const shared = await acme.post(`/emails/${id}/share`, {})
    const foreign = await (await app.as('globex')).post(`/emails/${id}/share`, {})

    expect(shared.body).toEqual({ object: 'email', id, url: expect.stringContaining('/shared?token=') })
    const { statusCode, body } = await open(app, shared.body.url)
    expect(statusCode).toBe(200)
    expect(body).toContain('Ada &lt;ada@example.net&gt;')
    expect(body).toContain('&lt;p&gt;Grüße&lt;/p&gt;&lt;img src=&quot;data:image/png;base64,iVBORw0KGgo=&quot;&gt;')
    expect(foreign.body).toEqual({ statusCode: 404, message: 'Email not found', name: 'not_found' })
  })

  test('shows long ones to the last character', async () => {
    const html = `<p>${'🐦'.repeat(100_000)}x"</p>`
    const { page } = await start({ html })

    expect((await page()).body).toContain(`srcdoc="${escapeHtml(html)}"`)
  })

  test('shows text when there is no html', async () => {
    const { page } = await start({ html: null, text: 'Hi <b>&amp;</b>\nthere' })

    const { body } = await page()

    // Escaped once for the frame's document, and once more for the attribute that holds it.
    expect(body).toContain('Hi &amp;lt;b&amp;gt;&amp;amp;amp;&amp;lt;/b&amp;gt;\nthere')
  })
})

test('durations are written in any of the usual ways', () => {
  const minute = 60_000
  const written = {
    '10m': 10,
    '1 min': 1,
    '90 minutes': 90,
    '2h': 120,
    '2 hours': 120,
    '1hr': 60,
    '1 day': 1_440,
    ' 2 D ': 2_880,
  }

  for (const [text, minutes] of Object.entries(written)) expect(readDuration(text), text).toBe(minutes * minute)
  expect(readDuration('30 secs')).toBe(30_000)
  expect(readDuration('45s')).toBe(45_000)
})
