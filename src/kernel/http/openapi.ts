import type { TObject, TSchema } from 'typebox'
import type { Endpoint } from './endpoint.ts'
import { QUOTA_HEADERS, REFUSAL_HEADERS, REQUEST_HEADERS, RESPONSE_HEADERS } from './headers.ts'
import { PROBLEMS } from './problem.ts'
import { TIMESTAMP } from './shapes.ts'

type Json = { [name: string]: unknown }

/** The OpenAPI 3.1 document of a list of endpoints. Schemas are JSON Schema already, so they go in as they are. */
export function openApiDocument(endpoints: readonly Endpoint[], version: string): Json {
  const schemas: Json = { Problem: problemSchema() }
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][endpoint.method.toLowerCase()] = operation(endpoint, schemas)
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
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      headers: Object.fromEntries(
        Object.entries(ALL_HEADERS).map(([id, { description, schema }]) => [id, { description, schema }]),
      ),
      schemas,
    },
  }
}

const ALL_HEADERS = { ...RESPONSE_HEADERS, ...QUOTA_HEADERS, ...REFUSAL_HEADERS }

const headersIn = (headers: Partial<typeof ALL_HEADERS>): Json =>
  Object.fromEntries(Object.entries(headers).map(([id, { name }]) => [name, { $ref: `#/components/headers/${id}` }]))

function operation(endpoint: Endpoint, schemas: Json): Json {
  const json = (schema: TSchema) => ({ 'application/json': { schema: hoist(schema, schemas) } })
  const requestBody = endpoint.upload
    ? { required: true, content: { 'multipart/form-data': { schema: hoist(endpoint.upload.fields, schemas) } } }
    : endpoint.body && { content: json(endpoint.body) }
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    ...(endpoint.description && { description: endpoint.description }),
    tags: [tagOf(endpoint)],
    ...(endpoint.isDeprecated && { deprecated: true }),
    parameters: [
      ...parameters('path', endpoint.params, schemas),
      ...parameters('query', endpoint.query, schemas),
      ...(endpoint.headers ?? []).map((name) => ({ in: 'header', ...REQUEST_HEADERS[name] })),
    ],
    ...(requestBody && { requestBody }),
    responses: {
      [endpoint.status]: {
        description: 'Done.',
        headers: headersIn({ ...RESPONSE_HEADERS, ...(endpoint.access === 'send' && QUOTA_HEADERS) }),
        content: endpoint.replyType ? { [endpoint.replyType]: { schema: endpoint.reply } } : json(endpoint.reply),
      },
      default: {
        description: 'What went wrong.',
        headers: headersIn({ ...RESPONSE_HEADERS, ...REFUSAL_HEADERS }),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  }
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
