import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Reply } from './app.ts'
import type { Schema } from './schema-arbitrary.ts'

interface Response {
  readonly headers?: Record<string, { $ref: string }>
  readonly content: Record<string, unknown>
}

export interface Operation {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly { name: string; in: 'path' | 'query' | 'header'; schema: Schema; required?: boolean }[]
  readonly requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> }
  readonly responses: Record<string, Response | { $ref: string }>
}

type Json = Record<string, unknown>

/** `docs/openapi.json` as those read it who have nothing else: its operations, and what is wrong with an answer by it. */
export function openDocument() {
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Json & {
    paths: Record<string, Record<string, Operation>>
  }
  const ajv = new Ajv2020({ strict: false, formats: FORMATS })
  ajv.addSchema(closed(document) as object, 'document')
  const resolve = <Part>(reference: string): Part =>
    pointer(reference).reduce<unknown>((part, name) => (part as Json)[name], document) as Part
  const complaint = (at: string, value: unknown): string | null => {
    const check = ajv.getSchema(`document${at}`)!
    return check(value) ? null : ajv.errorsText(check.errors, { dataVar: 'it' })
  }

  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  )

  /** Null: the answer is one that the document describes. */
  function mistakeIn({ path, method, responses }: Operation, { status, headers, body }: Reply): string | null {
    const given = responses[status]
    if (!given) return `${status} is not documented`
    const at =
      '$ref' in given ? given.$ref : `#${escaped('paths', path, method.toLowerCase(), 'responses', String(status))}`
    const response = '$ref' in given ? resolve<Response>(given.$ref) : given
    const type = String(headers['content-type']).split(';', 1)[0]!
    if (!(type in response.content)) return `${status} with ${type}, not ${Object.keys(response.content)}`
    const wrong = complaint(`${at}${escaped('content', type, 'schema')}`, body)
    if (wrong) return `${status}: ${wrong}`
    for (const [name, { $ref }] of Object.entries(response.headers ?? {})) {
      const value = headers[name]
      const wrongHeader = value === undefined ? null : complaint(`${$ref}/schema`, asWritten(value))
      if (wrongHeader) return `${status}, header ${name}: ${wrongHeader}`
    }
    return headers['x-request-id'] === undefined ? `${status} without x-request-id` : null
  }

  return { operations, mistakeIn, resolve: (reference: string) => resolve<Schema>(reference) }
}

const asWritten = (header: unknown) => (/^\d+$/.test(String(header)) ? Number(header) : header)

const escaped = (...names: readonly string[]) =>
  names.map((name) => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')

const pointer = (reference: string) =>
  reference
    .split('/')
    .slice(1)
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))

/** As other validators know them, and no laxer than those of the server. */
const FORMATS = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  email: /^[^\s@]+@[^\s@]+$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  binary: true,
} as const

/** The document with every object closed that names its fields: an answer may have none that it does not describe. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const copy: Json = {}
  // The parts of `allOf` are one object, and none of them has all of its fields.
  for (const [name, inner] of Object.entries(node)) copy[name] = name === 'allOf' ? inner : closed(inner)
  const { type, properties, patternProperties, additionalProperties } = copy
  const isObject = type === 'object' && properties !== undefined
  if (isObject && patternProperties === undefined && additionalProperties === undefined)
    copy.additionalProperties = false
  return copy
}
