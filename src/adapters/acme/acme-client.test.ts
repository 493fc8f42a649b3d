import { expect, test } from 'vitest'
import type { HttpOutcome, OutgoingRequest } from '../outgoing-http/outgoing-http.ts'
import { AccountKey } from './account-key.ts'
import { AcmeClient, AcmeRefusal } from './acme-client.ts'

// The way of a certificate is tried out with a real authority (certificates.long.test.ts); here are those that misbehave.

const URLS = {
  newNonce: 'https://ca.test/nonce',
  newAccount: 'https://ca.test/account',
  newOrder: 'https://ca.test/order',
}

const json = (body: object, more: { status?: number; headers?: Record<string, string> } = {}): HttpOutcome => ({
  kind: 'answered',
  status: more.status ?? 200,
  headers: { 'content-type': 'application/json', 'replay-nonce': 'n', ...more.headers },
  body: Buffer.from(JSON.stringify(body)),
})

function clientOf(answer: (request: OutgoingRequest) => HttpOutcome | undefined) {
  const asked: string[] = []
  const client = new AcmeClient({
    directoryUrl: 'https://ca.test/dir',
    key: new AccountKey(AccountKey.make()),
    accountUrl: 'https://ca.test/account/1',
    http: {
      async send(request) {
        asked.push(`${request.method} ${request.url}`)
        return answer(request) ?? json(URLS)
      },
    },
  })
  const issue = () =>
    client.issue({
      names: ['a.test'],
      request: Buffer.alloc(0),
      kind: 'http-01',
      prepare: async () => {},
      signal: new AbortController().signal,
    })
  return { asked, issue, client }
}

const refusal = async (issue: () => Promise<unknown>) => {
  const error = await issue().catch((caught) => caught)
  expect(error).toBeInstanceOf(AcmeRefusal)
  const { message, isGeneral } = error as AcmeRefusal
  return { message, isGeneral }
}

test('an authority that cannot be reached, or has enough of us, is not asked for other names either', async () => {
  const away = clientOf(() => ({ kind: 'timed_out', reason: 'no answer within 30000 ms' }))
  const busy = clientOf(({ url }) =>
    url === URLS.newOrder
      ? json({ type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many orders' }, { status: 429 })
      : undefined,
  )
  const unwilling = clientOf(({ url }) =>
    url === URLS.newOrder ? json({ type: 'urn:x', detail: 'not for this name' }, { status: 403 }) : undefined,
  )

  expect(await refusal(away.issue)).toEqual({
    message: 'The authority could not be reached: no answer within 30000 ms.',
    isGeneral: true,
  })
  expect(await refusal(busy.issue)).toEqual({ message: 'too many orders', isGeneral: true })
  expect(await refusal(unwilling.issue)).toEqual({ message: 'not for this name', isGeneral: false })
})

test.each([
  ['nothing', {}],
  ['no URLs', { newNonce: 1, newAccount: null, newOrder: [] }],
  ['URLs in the open', { newNonce: 'http://ca.test/', newAccount: 'http://ca.test/', newOrder: 'http://ca.test/' }],
])('a directory with %s is refused', async (_name, directory) => {
  const { issue } = clientOf(() => json(directory))

  await refusal(issue)
})

test('a nonce that is never good enough is given up', async () => {
  const { issue, asked } = clientOf(({ url }) =>
    url === URLS.newOrder
      ? json({ type: 'urn:ietf:params:acme:error:badNonce', detail: 'old' }, { status: 400 })
      : undefined,
  )

  expect(await refusal(issue)).toMatchObject({ message: 'old' })
  expect(asked.filter((one) => one === `POST ${URLS.newOrder}`)).toHaveLength(5)
})

test.each(['../../etc/passwd', '', 'a'.repeat(300), 7])('a token like %j is never served', async (token) => {
  const { issue, asked } = clientOf(({ url }) => {
    if (url === URLS.newOrder)
      return json(
        { authorizations: ['https://ca.test/authz'] },
        { status: 201, headers: { location: 'https://ca.test/o/1' } },
      )
    if (url === 'https://ca.test/authz')
      return json({
        status: 'pending',
        identifier: { value: 'a.test' },
        challenges: [{ type: 'http-01', token, url: 'https://ca.test/challenge' }],
      })
    return undefined
  })

  await refusal(issue)
  expect(asked).not.toContain('POST https://ca.test/challenge')
})
