import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { beforeAll, expect, test } from 'vitest'
import { addReferenceRoutes } from './reference-page.ts'

const app = fastify()
let script: string

beforeAll(async () => {
  addReferenceRoutes(app, () => ({ openapi: '3.1.0', paths: { '/emails': {} } }))
  const page = await app.inject('/docs')
  script = /src="(\/docs\/reference-[\w-]+\.js)"/.exec(page.body)![1]!
})

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

test('the script of the reference is compressed, and its URL has a content hash', async () => {
  const plain = await get(script)
  const br = await get(script, { 'accept-encoding': 'gzip, deflate, br' })
  const zipped = await get(script, { 'accept-encoding': 'gzip, br;q=0' })

  expect([br.headers['content-encoding'], zipped.headers['content-encoding']]).toEqual(['br', 'gzip'])
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(brotliDecompressSync(br.rawPayload).equals(plain.rawPayload)).toBe(true)
  expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true)
  expect(br.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3)
  expect(br.headers).toMatchObject({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
})

test('a cached script is answered with 304, and each encoding has its own ETag', async () => {
  for (const url of [script, '/openapi.json']) {
    const br = await get(url, { 'accept-encoding': 'br' })
    const etag = String(br.headers.etag)
    const again = await get(url, { 'accept-encoding': 'br', 'if-none-match': `W/"else", ${etag}` })

    expect([again.statusCode, again.body]).toEqual([304, ''])
    expect((await get(url, { 'if-none-match': etag })).statusCode).toBe(200)
  }
})

test('a URL of another build is answered with the script of this one, and is not cached', async () => {
  const old = await get('/docs/reference-0123456789abcdef.js')

  expect([old.statusCode, old.headers['cache-control']]).toEqual([200, 'no-cache'])
})

test('the OpenAPI document is revalidated, and compressed', async () => {
  const { headers, rawPayload } = await get('/openapi.json', { 'accept-encoding': 'gzip' })

  expect(JSON.parse(gunzipSync(rawPayload).toString())).toEqual({ openapi: '3.1.0', paths: { '/emails': {} } })
  expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'content-encoding': 'gzip' })
})
