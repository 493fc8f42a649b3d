import type { TObject, TSchema } from 'typebox'
import { OF_PEOPLE, SENDING_ACCESS } from './access.ts'
import type { Endpoint } from './endpoint.ts'
import { QUOTA_HEADERS, REFUSAL_HEADERS, REQUEST_HEADERS, RESPONSE_HEADERS } from './headers.ts'
import { PROBLEMS } from './problem.ts'
import { TIMESTAMP } from './shapes.ts'

type Json = { [name: string]: unknown }

/** The OpenAPI 3.1 document of a list of endpoints. Schemas are JSON Schema already, so they go in as they are. */
export function openApiDocument(endpoints: readonly Endpoint[], version: string): Json {
  const schemas: Json = { Problem: problemSchema() }
  const paths: Record<string, Json> = {}
  const refusals = new Set<Refusal>()
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][endpoint.method.toLowerCase()] = operation(endpoint, schemas)
    for (const status of refusalsOf(endpoint)) refusals.add(status)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postwren',
      version,
      description: 'Send and receive email, and manage the objects around it. Every request carries an API key.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: Object.fromEntries(
        Object.entries(ALL_HEADERS).map(([id, { description, schema }]) => [id, { description, schema }]),
      ),
      responses: Object.fromEntries([...refusals].sort().map((status) => [REFUSALS[status].id, refusal(status)])),
      schemas,
    },
  }
}

const SECURITY_SCHEMES = {
  key: { type: 'http', scheme: 'bearer', description: 'An API key, `re_…`, or an access token of an OAuth client.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'postwren',
    description:
      'Somebody who is signed in to the dashboard: no key may call these operations. The name of the cookie goes on with the id of the installation, and only pages of the dashboard can use it.',
  },
}

/** Why requests are refused, by status. */
const REFUSALS = {
  400: { id: 'BadRequest', description: 'The request cannot be read: malformed JSON, path or idempotency key.' },
  401: { id: 'Unauthorized', description: 'The API key is missing, or restricted to sending.' },
  403: { id: 'Forbidden', description: 'The API key is invalid, or this is not allowed.' },
  404: { id: 'NotFound', description: 'There is no such object.' },
  409: {
    id: 'Conflict',
    description: 'Another request changes or has changed the same, or has the same idempotency key.',
  },
  413: { id: 'TooLarge', description: 'The body is too large.' },
  415: { id: 'UnsupportedMediaType', description: 'The body is not of the content type that is asked for.' },
  421: { id: 'Misdirected', description: 'The team lives in another cell, which the message names.' },
  422: { id: 'Unprocessable', description: 'A field or a parameter is missing or invalid.' },
  429: { id: 'TooManyRequests', description: 'The rate limit or a quota is used up.' },
  500: { id: 'ServerError', description: 'A defect of the service. The request may have been carried out.' },
  503: { id: 'Unavailable', description: 'The service cannot answer now. Retry.' },
} as const

type Refusal = keyof typeof REFUSALS

/** Also 404: every operation can be asked for below the path of a sandbox, which may be gone. */
const OF_ALL: readonly Refusal[] = [400, 401, 403, 404, 421, 422, 429, 500, 503]

/** With all methods but GET a body is read, and something changes. */
const OF_CHANGES: readonly Refusal[] = [409, 413, 415]

const refusalsOf = ({ method }: Endpoint): readonly Refusal[] =>
  method === 'GET' ? OF_ALL : [...OF_ALL, ...OF_CHANGES]

/** Every status that an operation can answer with. */
export const statusesOf = (endpoint: Endpoint): readonly number[] => [
  endpoint.status,
  ...(endpoint.mayExist ? [200] : []),
  ...refusalsOf(endpoint),
]

const refusal = (status: Refusal): Json => ({
  description: REFUSALS[status].description,
  headers: headersIn({ ...RESPONSE_HEADERS, ...REFUSAL_HEADERS }),
  content: {
    'application/json': {
      schema: {
        allOf: [
          { $ref: '#/components/schemas/Problem' },
          {
            type: 'object',
            properties: { statusCode: { const: status }, name: { enum: namesOf(status) } },
            required: ['statusCode', 'name'],
          },
        ],
      },
    },
  },
})

const namesOf = (status: number) => [
  ...new Set(
    Object.values(PROBLEMS)
      .filter((problem) => problem.status === status)
      .map(({ name }) => name),
  ),
]

const ALL_HEADERS = { ...RESPONSE_HEADERS, ...QUOTA_HEADERS, ...REFUSAL_HEADERS }

const headersIn = (headers: Partial<typeof ALL_HEADERS>): Json =>
  Object.fromEntries(Object.entries(headers).map(([id, { name }]) => [name, { $ref: `#/components/headers/${id}` }]))

function operation(endpoint: Endpoint, schemas: Json): Json {
  const json = (schema: TSchema) => ({ 'application/json': { schema: hoist(schema, schemas) } })
  const body = endpoint.describedAs ?? endpoint.body
  const requestBody = endpoint.upload
    ? { required: true, content: { 'multipart/form-data': { schema: hoist(endpoint.upload.fields, schemas) } } }
    : body && { required: asksForFields(body), content: json(body) }
  const done = (description: string) => ({
    description,
    headers: headersIn({ ...RESPONSE_HEADERS, ...(SENDING_ACCESS.has(endpoint.access) && QUOTA_HEADERS) }),
    content: endpoint.replyType ? { [endpoint.replyType]: { schema: endpoint.reply } } : json(endpoint.reply),
  })
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    ...(endpoint.description && { description: endpoint.description }),
    tags: [tagOf(endpoint)],
    ...(endpoint.isDeprecated && { deprecated: true }),
    ...(OF_PEOPLE.has(endpoint.access) && { security: [{ session: [] }] }),
    parameters: [
      ...parameters('path', endpoint.params, schemas),
      ...parameters('query', endpoint.query, schemas),
      ...(endpoint.headers ?? []).map((name) => ({ in: 'header', ...REQUEST_HEADERS[name] })),
    ],
    ...(requestBody && { requestBody }),
    responses: {
      ...(endpoint.mayExist && { 200: done('It was there before.') }),
      [endpoint.status]: done('Done.'),
      ...Object.fromEntries(
        refusalsOf(endpoint).map((status) => [status, { $ref: `#/components/responses/${REFUSALS[status].id}` }]),
      ),
    },
  }
}

/** Whether nobody can leave the body away. */
function asksForFields(body: TSchema): boolean {
  const { type, properties, required, anyOf } = body as Json & { anyOf?: TSchema[]; required?: string[] }
  if (anyOf) return anyOf.every(asksForFields)
  return type !== 'object' || (required ?? []).some((name) => !hasDefault(properties as Json, name))
}

const tagOf = ({ id }: Endpoint) => id.split('.', 1)[0]!

function parameters(where: 'path' | 'query', shape: TObject | undefined, schemas: Json): Json[] {
  return Object.entries(shape?.properties ?? {}).map(([name, schema]) => {
    const { description, ...rest } = hoist(schema as TSchema, schemas) as Json
    const required = where === 'path' || (shape?.required as string[] | undefined)?.includes(name)
    return {
      name,
      in: where,
      ...(required && { required }),
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })
}

/** A schema with a title becomes a component of that name, wherever it stands. */
function hoist(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const { title, format, properties, required, ...rest } = schema as Json & { properties?: Json }
  const inner: Json = {
    // What is ours alone is described in words that others know.
    ...(format === 'timestamp' ? { pattern: TIMESTAMP.source } : format !== undefined && { format }),
    ...hoistEach(rest, schemas),
    // Names of fields are no keywords: one may be called `title`.
    ...(properties && { properties: hoistEach(properties, schemas) }),
    ...(Array.isArray(required) && { required: required.filter((name) => !hasDefault(properties, name)) }),
  }
  if (typeof title !== 'string') return inner
  schemas[title] = inner
  return { $ref: `#/components/schemas/${title}` }
}

const hoistEach = (given: Json, schemas: Json): Json =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, hoist(value, schemas)]))

/** Such a field is always there for the endpoint and never asked of the caller. */
const hasDefault = (properties: Json | undefined, name: string) =>
  'default' in ((properties?.[name] as Json | undefined) ?? {})

function problemSchema(): Json {
  return {
    type: 'object',
    required: ['statusCode', 'message', 'name'],
    properties: {
      statusCode: { type: 'integer', enum: [...new Set(Object.values(PROBLEMS).map(({ status }) => status))] },
      message: { type: 'string' },
      name: { type: 'string', enum: [...new Set(Object.values(PROBLEMS).map(({ name }) => name))] },
    },
  }
}
