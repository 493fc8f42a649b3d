import { describe, expect, test } from 'vitest'
import type { App } from '../../../test/harness/app.ts'
import { blobsOf, SIMPLE, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'

const HELLO = 'Hello!'
const FILE = { filename: 'hello.txt', content: Buffer.from(HELLO).toString('base64') }

async function start(file: object = FILE) {
  const { app, acme } = await startAcme()
  const id = await sendEmail(acme, { attachments: [file] })
  const [item] = (await acme.get(`/emails/${id}/attachments`)).body.data
  return { app, acme, id, item, path: new URL(item.download_url).pathname }
}

const open = (app: App, path: string) => app.server.inject({ method: 'GET', url: path })

describe('attachments of a sent email', () => {
  test('are listed and retrieved', async () => {
    const { app, acme, id, item } = await start()

    const { body } = await acme.get(`/emails/${id}/attachments/${item.id}`)

    expect(item).toEqual({
      id: expect.any(String),
      filename: 'hello.txt',
      size: HELLO.length,
      content_type: 'text/plain',
      content_disposition: 'attachment',
      download_url: expect.stringMatching(/^http:\/\/localhost:4025\/downloads\/emails\//),
      expires_at: new Date(app.clock.now().getTime() + 3_600_000).toISOString(),
    })
    expect(body).toEqual({ object: 'attachment', ...item })
  })

  test('are found with their own email only', async () => {
    const { app, acme, id, item } = await start()
    const other = await sendEmail(acme)

    const replies = [
      await acme.get(`/emails/${other}/attachments/${item.id}`),
      await acme.get(`/emails/${id}/attachments/${newId()}`),
    ]

    for (const { body } of replies)
      expect(body).toEqual({ statusCode: 404, message: 'Attachment not found', name: 'not_found' })
    expect((await acme.get(`/emails/${other}/attachments`)).body).toEqual({ object: 'list', has_more: false, data: [] })
    expect((await (await app.as('globex')).get(`/emails/${id}/attachments/${item.id}`)).status).toBe(404)
  })

  test('are all listed when nobody says how many', async () => {
    const { acme } = await startAcme()
    const attachments = Array.from({ length: 30 }, (_, n) => ({ ...FILE, filename: `${n}.txt` }))
    const id = await sendEmail(acme, { attachments })

    const all = (await acme.get(`/emails/${id}/attachments`)).body
    const some = (await acme.get(`/emails/${id}/attachments?limit=10`)).body

    expect([all.data.length, all.has_more]).toEqual([30, false])
    expect([some.data.length, some.has_more]).toEqual([10, true])
  })
})

describe('the link to an attachment', () => {
  test('works without a key, for an hour', async () => {
    const { app, path } = await start()

    const first = await open(app, path)
    app.clock.advance(3_600)
    const last = await open(app, path)
    app.clock.advance(1)
    const late = await open(app, path)

    expect([first.statusCode, first.body]).toEqual([200, HELLO])
    expect(last.statusCode).toBe(200)
    expect([late.statusCode, late.body]).toEqual([404, 'This link is not valid, or it has expired.\n'])
  })

  test('is of no use when it was tampered with', async () => {
    const { app, acme, path } = await start()
    const other = await sendEmail(acme, { attachments: [FILE] })
    const [theirs] = (await acme.get(`/emails/${other}/attachments`)).body.data
    const [, , , token = '', id = ''] = path.split('/')
    const [content = '', mac = ''] = token.split('.')
    const { exp: _exp, ...payload } = JSON.parse(Buffer.from(content, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...payload, exp: Date.now() * 2 })).toString('base64url')
    const share = (await acme.post(`/emails/${other}/share`, {})).body.url.split('token=')[1]

    const paths = [
      `${token.slice(0, -1)}/${id}`,
      `${token}x/${id}`,
      `${token}.x/${id}`,
      `${forged}.${mac}/${id}`,
      `${content}/${id}`,
      `.${mac}/${id}`,
      `${share}/${theirs.id}`,
      `${token}/${theirs.id}`,
      `${token}/${newId()}`,
      `${token}/nothing`,
      `${token}/%00`,
    ]

    for (const changed of paths) expect((await open(app, `/downloads/emails/${changed}`)).statusCode, changed).toBe(404)
    expect((await open(app, path)).statusCode).toBe(200)
  })

  test('always gives a download, whatever the sender called it', async () => {
    const hostile = `a"; filename="b.html\u202e é'(1)*!.html`
    const { app, path } = await start({ ...FILE, filename: hostile, content_type: 'text/html; charset=utf-8' })

    const { headers } = await open(app, path)

    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': `attachment; filename*=UTF-8''a%22%3B%20filename%3D%22b.html%20%C3%A9%27%281%29%2a%21.html`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
  })

  test('gives a name to what has none', async () => {
    const { app, path } = await start({ content: FILE.content, filename: false })

    expect((await open(app, path)).headers['content-disposition']).toBe(`attachment; filename*=UTF-8''attachment`)
  })
})

test('a store that fails refuses the request and leaves nothing', async () => {
  let puts = 0
  const { app, acme } = await startAcme(
    {},
    {
      blobs: (real) => ({
        put: (key, content) =>
          ++puts === 2
            ? Promise.reject(Object.assign(new Error('the disk is gone'), { code: 'ECONNREFUSED' }))
            : real.put(key, content),
        get: (key) => real.get(key),
        open: (key) => real.open(key),
        remove: (key) => real.remove(key),
        archived: () => real.archived(),
      }),
    },
  )
  const email = { ...SIMPLE, attachments: [FILE, FILE, FILE] }

  const failed = await acme.post('/emails', email, { 'idempotency-key': 'once' })
  const left = [...blobsOf(app), ...(await acme.get('/emails')).body.data, ...(await acme.events())]
  const again = await acme.post('/emails', email, { 'idempotency-key': 'once' })

  expect(failed.body).toMatchObject({ statusCode: 503, name: 'service_unavailable' })
  expect(left).toEqual([])
  expect(again.status).toBe(200)
  expect(blobsOf(app)).toHaveLength(3)
})
