import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { imageOf } from '../../../test/harness/documents.ts'
import { sweepBlobs } from '../../kernel/blobs/loose-blobs.ts'
import { sql } from '../../kernel/db/sql.ts'
import { ensureRecurring } from '../../kernel/jobs/queries.ts'
import { readImage } from './image-file.ts'
import { MAX_IMAGE_BYTES } from './limits.ts'

const HOUR = 3_600

const PNG = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  Buffer.from('0000028000000168', 'hex'), // 640 × 360
  Buffer.from('0806000000ffffffff0000000049454e44ae426082', 'hex'),
])

/** Opens the address as a mail client does. */
const open = (app: App, url: string, headers = {}) =>
  app.server.inject({ url: new URL(url).pathname, headers: { host: new URL(url).host, ...headers } })

async function start() {
  const app = await startApp()
  const acme = await app.as('acme')
  return {
    app,
    acme,
    upload: (content: string, filename?: string) => acme.post('/editor/images', { content, filename }),
  }
}

test('an image is shown to everybody who has its address, for years', async () => {
  const { app, acme, upload } = await start()

  const { status, body } = await upload(PNG.toString('base64'), 'logo.png')

  expect(status).toBe(201)
  expect(body).toMatchObject({
    ...{
      object: 'editor_image',
      content_type: 'image/png',
      size: PNG.length,
      width: 640,
      height: 360,
      filename: 'logo.png',
    },
  })
  app.clock.advance(5 * 365 * 24 * HOUR)
  const shown = await open(app, body.url)
  expect(shown.rawPayload).toEqual(PNG)
  expect(shown.headers).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(PNG.length),
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    etag: `"${createHash('sha256').update(PNG).digest('hex')}"`,
  })
  expect((await acme.get('/editor/images')).body.data).toMatchObject([{ id: body.id, url: body.url }])
})

test('what is uploaded twice is kept once, for each team', async () => {
  const { app, upload } = await start()
  const [first, second] = [await upload(imageOf('same')), await upload(imageOf('same'))]
  const globex = await (await app.as('globex')).post('/editor/images', { content: imageOf('same') })

  expect([first.status, second.status]).toEqual([201, 200])
  expect(second.body).toEqual(first.body)
  expect(globex.body.url).not.toBe(first.body.url)
})

test('two uploads of one file at once are one image, and nothing is left of the other', async () => {
  const { app, acme, upload } = await start()

  const replies = await Promise.all([upload(imageOf('twin')), upload(imageOf('twin'))])

  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1)
  expect((await acme.get('/editor/images')).body.data).toHaveLength(1)
  app.clock.advance(25 * HOUR)
  await ensureRecurring(app.db, [sweepBlobs])
  await app.workerFor([sweepBlobs]).runDue()
  expect(await app.db.query(sql`select key from loose_blobs`)).toEqual([])
  expect((await open(app, replies[0]!.body.url)).statusCode).toBe(200)
})

test('one that is deleted is shown no more, and its file goes', async () => {
  const { app, acme, upload } = await start()
  const { body } = await upload(imageOf('gone'))

  expect((await acme.delete(`/editor/images/${body.id}`)).body).toEqual({
    ...{ object: 'editor_image', id: body.id, deleted: true },
  })

  expect((await open(app, body.url)).statusCode).toBe(404)
  expect(await app.db.query(sql`select key from loose_blobs where key like ${`images/${acme.team}/%`}`)).toHaveLength(1)
})

test('a URL without a valid signature is not found', async () => {
  const { app, upload } = await start()
  const { url } = (await upload(imageOf('signed'))).body
  const [content, mac] = new URL(url).pathname.split('/').at(-1)!.split('.')

  for (const token of ['x', `${content}.x`, `${content}`, `x.${mac}`, `${content}.${mac}.x`])
    expect((await open(app, `${new URL(url).origin}/images/${token}`)).statusCode, token).toBe(404)
})

describe('what is no image for mails is refused', () => {
  test.each([
    ['text', Buffer.from('Hello')],
    ['a page', Buffer.from('<html><script>alert(1)</script></html>')],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['a PNG that is cut', PNG.subarray(0, 20)],
    ['nothing', Buffer.alloc(0)],
  ])('%s', async (_name, file) => {
    const { upload } = await start()

    expect((await upload(file.toString('base64'))).body).toMatchObject({
      ...{ statusCode: 422, message: 'Invalid `content` field. It must be a PNG, JPEG, GIF or WebP file as base64.' },
    })
  })

  test('one that is too large', async () => {
    const { upload } = await start()
    const large = Buffer.concat([PNG, Buffer.alloc(MAX_IMAGE_BYTES)])

    expect((await upload(large.toString('base64'))).body.message).toBe(
      'Invalid `content` field. It must be at most 5 MB.',
    )
  })
})

test('the size of an image is in its first bytes', () => {
  const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108016802800301220002110103110100', 'hex')
  const webp = (kind: string, rest: string) =>
    Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.from(kind), Buffer.from(rest, 'hex'), Buffer.alloc(8)])

  const size = { width: 640, height: 360 }
  expect(readImage(jpeg)).toEqual({ contentType: 'image/jpeg', ...size })
  expect(readImage(webp('VP8X', '0a000000000000007f0200670100'))).toEqual({ contentType: 'image/webp', ...size })
  expect(readImage(webp('VP8 ', '000000000000009d012a80026801'))).toEqual({ contentType: 'image/webp', ...size })
  expect(readImage(Buffer.from('ffd8ffe0ffff', 'hex'))).toEqual({
    contentType: 'image/jpeg',
    width: null,
    height: null,
  })
})
