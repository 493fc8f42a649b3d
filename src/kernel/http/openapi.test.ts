import Type, { type TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { ENDPOINTS } from '../../features/index.ts'
import { endpoint } from './endpoint.ts'
import { openApiDocument } from './openapi.ts'
import { Timestamp } from './shapes.ts'

type Node = Record<string, unknown>

const describing = (reply: TSchema) => {
  const things = endpoint({ id: 'things.get', route: 'GET /things', summary: 'Things', reply, run: async () => ({}) })
  return openApiDocument([things], '1.0.0') as { components: { schemas: Record<string, Node> } }
}

/** Every object in a document. */
function* nodesOf(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Node
  for (const inner of Object.values(value)) yield* nodesOf(inner)
}

test('a field may be called what schemas call their own', () => {
  const Thing = Type.Object(
    { title: Type.String(), format: Type.String(), required: Type.Boolean() },
    { title: 'Thing' },
  )

  expect(describing(Thing).components.schemas.Thing).toMatchObject({
    properties: { title: { type: 'string' }, format: { type: 'string' }, required: { type: 'boolean' } },
    required: ['title', 'format', 'required'],
  })
})

test('a time of ours is a text with a pattern, and no format has a name that only we know', () => {
  const Thing = Type.Object({ created_at: Timestamp }, { title: 'Thing' })
  const { created_at } = describing(Thing).components.schemas.Thing!.properties as Record<string, Node>

  expect(created_at).not.toHaveProperty('format')
  expect('2026-11-15 01:20:30.123456+00').toMatch(new RegExp(String(created_at!.pattern)))
  const formats = [...nodesOf(openApiDocument(ENDPOINTS, '1.0.0'))].map(({ format }) => format)
  expect(new Set(formats.filter((format) => typeof format === 'string'))).toEqual(
    new Set(['uuid', 'email', 'date-time', 'binary'].filter((name) => formats.includes(name))),
  )
})

test('headers of requests and answers are described', () => {
  const { paths, components } = openApiDocument(ENDPOINTS, '1.0.0') as {
    paths: Record<string, Record<string, Node>>
    components: Node
  }
  const send = paths['/emails']!.post!
  const [parameter] = send.parameters as Node[]
  const { 200: done } = send.responses as Record<string, { headers: Record<string, Node> }>
  const { TooManyRequests: refused } = components.responses as Record<string, { headers: Record<string, Node> }>

  expect(parameter).toMatchObject({ in: 'header', name: 'Idempotency-Key', schema: { maxLength: 256 } })
  expect(Object.keys(done!.headers)).toEqual(
    expect.arrayContaining(['x-request-id', 'ratelimit-limit', 'x-resend-monthly-quota']),
  )
  expect(Object.keys(refused!.headers)).toEqual(expect.arrayContaining(['x-request-id', 'retry-after']))
  for (const { $ref } of Object.values(done!.headers))
    expect(components.headers).toHaveProperty(String($ref).split('/').at(-1)!)
})

test('an operation says each status that it answers with, and the names of its errors', () => {
  const { paths, components } = openApiDocument(ENDPOINTS, '1.0.0') as {
    paths: Record<string, Record<string, { responses: Record<string, Node> }>>
    components: { responses: Record<string, Node> }
  }
  const statuses = (method: string, path: string) => Object.keys(paths[path]![method]!.responses)

  expect(statuses('get', '/clock')).toEqual(['200', '400', '401', '403', '404', '421', '422', '429', '500', '503'])
  expect(statuses('post', '/emails')).toEqual(expect.arrayContaining(['409', '413', '415']))
  expect(statuses('post', '/editor/images').slice(0, 2)).toEqual(['200', '201'])
  expect(JSON.stringify(components.responses.TooManyRequests)).toContain(
    '{"const":429},"name":{"enum":["daily_quota_exceeded","monthly_quota_exceeded","rate_limit_exceeded"]}',
  )
})

test('a body that has nothing which must be there may be left away', () => {
  const isRequired = (reply: TSchema) =>
    (
      openApiDocument(
        [endpoint({ id: 'a.b', route: 'POST /a', summary: 'A', body: reply, reply, run: async () => ({}) })],
        '1.0.0',
      ) as { paths: Record<string, Record<string, { requestBody: { required: boolean } }>> }
    ).paths['/a']!.post!.requestBody.required

  expect(isRequired(Type.Object({ name: Type.Optional(Type.String()) }))).toBe(false)
  expect(isRequired(Type.Object({ name: Type.String() }))).toBe(true)
  expect(isRequired(Type.Array(Type.String()))).toBe(true)
  expect(isRequired(Type.Union([Type.Array(Type.String()), Type.Object({})]))).toBe(false)
})

test('what only people at the dashboard may do is not open to keys', () => {
  const { paths } = openApiDocument(ENDPOINTS, '1.0.0') as { paths: Record<string, Record<string, Node>> }

  expect(paths['/account/passkeys']!.get!.security).toEqual([{ session: [] }])
  expect(paths['/emails']!.get).not.toHaveProperty('security')
})
