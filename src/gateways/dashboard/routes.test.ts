import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { FROM_OUR_PAGE, signedIn } from '../../../test/harness/browser-session.ts'

test('every address below /dashboard is the page, whose policy names no other host', async () => {
  const app = await startApp()

  for (const url of ['/dashboard', '/dashboard/', '/dashboard/emails/some-id', '/dashboard/no/such/page']) {
    const { status, headers, text } = await app.send({ url })
    expect([url, status, headers['content-type']]).toEqual([url, 200, 'text/html; charset=utf-8'])
    expect(text).not.toMatch(/https?:\/\/|(?:src|href)="\/\//)
    const allowed = String(headers['content-security-policy'])
      .split(';')
      .flatMap((directive) => directive.trim().split(' ').slice(1))
    expect(allowed.filter((source) => !/^('(none|self|unsafe-inline)'|data:|blob:)$/.test(source))).toEqual([])
    expect(String(headers['content-security-policy'])).toContain("script-src 'self';")
  }
})

test('its files are packed for browsers that can unpack, and kept for a year', async () => {
  const app = await startApp()
  const { text } = await app.send({ url: '/dashboard' })
  const [script] = /\/dashboard\/assets\/[\w-]+\.js/.exec(text)!

  const packed = await app.send({ url: script, headers: { 'accept-encoding': 'gzip' } })
  const smallest = await app.send({ url: script, headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } })
  const plain = await app.send({ url: script })
  const missing = await app.send({ url: '/dashboard/assets/old-abc.js' })
  const outside = await app.send({ url: '/dashboard/..%2f..%2fpackage.json' })

  expect([packed, smallest, plain].map(({ headers }) => headers['content-encoding'])).toEqual(['gzip', 'br', undefined])
  expect(plain.headers['cache-control']).toContain('immutable')
  expect(missing.status).toBe(404)
  expect(outside.text).not.toContain('"dependencies"')
})

test('the session says what runs here, and keeps its secrets', async () => {
  const app = await startApp({ POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://user:pass@relay.example:587' })
  const somebody = await signedIn(app, (await app.as('acme')).token)

  const { body, text } = await somebody.get('/dashboard/session')

  expect(body.installation).toMatchObject({ delivery: 'relay', relay: 'relay.example:587', database: 'embedded' })
  expect(text).not.toContain('pass')
})

test('a mail with remote pictures gets a frame in which pictures are all that is allowed', async () => {
  const app = await startApp()
  const { cookie } = await signedIn(app, (await app.as('acme')).token)
  const post = (headers: object) =>
    app.send({
      method: 'POST',
      url: '/dashboard/frame',
      payload: 'html=<p>hello & <b>good bye</b></p>\r\n',
      headers: { 'content-type': 'text/plain', ...headers },
    })

  const { status, headers, text } = await post({ host: FROM_OUR_PAGE.host, origin: FROM_OUR_PAGE.origin, cookie })
  const policy = String(headers['content-security-policy'])

  expect([status, text]).toEqual([200, '<p>hello & <b>good bye</b></p>'])
  expect(policy).toMatch(/^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src /)
  expect(policy).not.toMatch(/script|connect|allow-(scripts|forms|same-origin|top-navigation)/)
  expect((await post({ host: FROM_OUR_PAGE.host, origin: FROM_OUR_PAGE.origin })).status).toBe(401)
  expect((await post({ host: FROM_OUR_PAGE.host, origin: 'https://evil.example', cookie })).status).toBe(403)
})
