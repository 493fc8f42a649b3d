import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { authorize, getTokens, locationOf } from '../../../test/harness/oauth.ts'
import type { HttpOutcome, OutgoingRequest } from '../../adapters/outgoing-http/outgoing-http.ts'
import { cachedSeconds, DocumentClients, readDocument } from './document-clients.ts'

const ID = 'https://app.example.com/oauth/client.json'
const DOCUMENT = { client_id: ID, client_name: 'Example', redirect_uris: ['https://app.example.com/cb'] }

/** Tests share what is stored: each has a client of its own. */
const newClientId = () => `https://app.example.com/${crypto.randomUUID()}.json`

/** The web, on which there is a document wherever one looks. */
function web(outcome: (request: OutgoingRequest) => Partial<HttpOutcome> | object = () => ({})) {
  const requests: OutgoingRequest[] = []
  const send = async (request: OutgoingRequest): Promise<HttpOutcome> => {
    requests.push(request)
    const body = Buffer.from(JSON.stringify({ ...DOCUMENT, client_id: request.url }))
    return { kind: 'answered', status: 200, headers: {}, body, ...outcome(request) } as HttpOutcome
  }
  return { requests, send }
}

test('a client is described by a document at its id, which is fetched with bounds and kept for a while', async () => {
  const app = await startApp()
  const source = web(() => ({ headers: { 'cache-control': 'max-age=600' } }))
  const documents = new DocumentClients(app.db, source)
  const id = newClientId()

  const client = await documents.find(id, '192.0.2.1')
  app.clock.advance(599)
  await documents.find(id, '192.0.2.1')
  expect(source.requests).toHaveLength(1)
  app.clock.advance(1)
  await documents.find(id, '192.0.2.1')

  expect(client).toMatchObject({ id, name: 'Example', kind: 'document', secretSha256: null })
  expect(source.requests).toHaveLength(2)
  expect(source.requests[0]).toMatchObject({ url: id, timeoutMs: 5_000, maxBytes: 5_120, maxRedirects: 0 })
})

test.each<[string | undefined, number]>([
  [undefined, 300],
  ['no-store', 300],
  ['max-age=0', 300],
  ['public, max-age=3600', 3_600],
  ['max-age=999999999', 86_400],
])('`Cache-Control: %s` keeps it for %d seconds', (header, seconds) => {
  expect(cachedSeconds(header)).toBe(seconds)
})

test('an older copy is of no use when the document cannot be read any more', async () => {
  const app = await startApp()
  let isThere = true
  const documents = new DocumentClients(
    app.db,
    web(() => (isThere ? {} : { status: 404 })),
  )
  const id = newClientId()
  await documents.find(id, '192.0.2.1')
  isThere = false
  app.clock.advance(301)

  await expect(documents.find(id, '192.0.2.1')).rejects.toMatchObject({ code: 'invalid_client' })
})

test.each<object>([
  { status: 302, headers: { location: 'https://app.example.com/other' } },
  { status: 404 },
  { kind: 'too_large', reason: 'the answer is larger than 5120 bytes' },
  { kind: 'timed_out', reason: 'no answer within 5000 ms' },
  { kind: 'refused', reason: '10.0.0.1 is not a public address' },
  { body: Buffer.from('<html>') },
])('what cannot be fetched is no client: %j', async (outcome) => {
  const app = await startApp()

  const documents = new DocumentClients(
    app.db,
    web(() => outcome),
  )

  await expect(documents.find(newClientId(), '192.0.2.1')).rejects.toMatchObject({ code: 'invalid_client' })
})

test.each([
  'https://app.example.com',
  'https://app.example.com/',
  'https://app.example.com:443/client.json',
  'https://APP.example.com/client.json',
  'https://app.example.com/a/../client.json',
  'https://app.example.com/client.json#x',
  'https://user@app.example.com/client.json',
  `https://app.example.com/${'x'.repeat(2_048)}`,
  'https://',
])('an address that could be written otherwise is none of a document: %s', async (id) => {
  const app = await startApp()
  const source = web()

  await expect(new DocumentClients(app.db, source).find(id, '192.0.2.1')).rejects.toMatchObject({
    code: 'invalid_client',
  })
  expect(source.requests).toEqual([])
})

const isUsable = (more: object) => {
  try {
    readDocument(ID, JSON.stringify({ ...DOCUMENT, ...more }))
    return true
  } catch {
    return false
  }
}

test.each<[object, boolean]>([
  [{}, true],
  [{ client_id: 'https://app.example.com/oauth/other.json' }, false],
  [{ client_id: undefined }, false],
  [{ redirect_uris: ['https://other.example.com/cb'] }, false],
  [{ redirect_uris: ['https://app.example.com:8443/cb'] }, false],
  [{ redirect_uris: ['http://127.0.0.1/cb', 'cursor://cb'] }, true],
  [{ token_endpoint_auth_method: 'none' }, true],
  [{ token_endpoint_auth_method: 'client_secret_basic' }, false],
  [{ client_secret: 'secret' }, false],
  [{ jwks: { keys: [] } }, false],
  [{ jwks_uri: 'https://app.example.com/jwks' }, false],
])('a document with %j is usable: %s', (more, expected) => {
  expect(isUsable(more)).toBe(expected)
})

test('a logo is shown when it is on the host of the document', () => {
  const logoOf = (logo_uri: string) => readDocument(ID, JSON.stringify({ ...DOCUMENT, logo_uri })).logoUri

  expect(logoOf('https://app.example.com/x.png')).toBe('https://app.example.com/x.png')
  expect(logoOf('https://tracker.example/x.png')).toBeNull()
})

test('nobody makes us fetch without end', async () => {
  const app = await startApp()
  const source = web(() => ({ status: 404 }))
  const documents = new DocumentClients(app.db, source)
  const find = (n: number) => documents.find(`${newClientId()}?${n}`, '192.0.2.1').catch((error) => error.code)

  const codes = []
  for (let n = 0; n < 21; n++) codes.push(await find(n))

  expect(codes.at(-1)).toBe('too_many_requests')
  expect(source.requests).toHaveLength(20)
})

test('people are asked about the host, and tokens need the document no more', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const id = newClientId()
  await new DocumentClients(app.db, web()).find(id, '192.0.2.1')
  const words = { client_id: id, redirect_uri: 'https://app.example.com/cb' }

  const page = locationOf(await authorize(app, words))
  const { body } = await ada.get(`/dashboard/oauth/request${page.search}`)
  const tokens = await getTokens(app, ada, words)

  expect(body.client).toEqual({ id, name: 'Example', kind: 'document', host: 'app.example.com' })
  expect(tokens).toHaveProperty('refresh_token')
})

test('a document on this machine is not fetched by those who may not reach it', async () => {
  const app = await startApp({ POSTWREN_PRIVATE_ADDRESSES: 'refuse' })

  const { status, body } = await authorize(app, { client_id: 'https://127.0.0.1/client.json' })

  expect([status, body.error]).toEqual([401, 'invalid_client'])
  expect(body.error_description).toMatch(/not a public address/)
})
