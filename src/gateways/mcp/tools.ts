import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import type { TObject, TSchema } from 'typebox'
import type { Endpoint } from '../../kernel/http/endpoint.ts'

/** An endpoint as an agent sees it. */
export interface Tool {
  readonly endpoint: Endpoint
  /** Which of its arguments are which part of the request. */
  readonly path: readonly string[]
  readonly query: readonly string[]
  /** Null: there is no body, or all of it is the argument `body`. */
  readonly body: readonly string[] | null
  /** What `tools/list` shows of it. */
  readonly listed: ListedTool
}

/** The argument that is the whole body, where that is a list, or has a field that the path or the query has, too. */
export const WHOLE_BODY = 'body'

/** `contact-properties.create` → `contact_properties_create`: models take letters, digits, `_` and `-`. */
export const toolName = (id: string) => id.replaceAll(/[.-]/g, '_')

export function toolOf(endpoint: Endpoint): Tool {
  const { id, method, params, query, summary, description, isDeprecated } = endpoint
  const path = namesOf(params)
  const asked = namesOf(query)
  const given = bodySchema(endpoint)
  const fields = isObject(given) && !namesOf(given).some((name) => [...path, ...asked].includes(name)) ? given : null
  const body = fields ?? (given && { properties: { [WHOLE_BODY]: given }, required: [WHOLE_BODY] })
  const sentences = [summary, description, isDeprecated ? 'Deprecated: use the tool for segments' : undefined]
  return {
    endpoint,
    path,
    query: asked,
    body: fields && namesOf(fields),
    listed: {
      name: toolName(id),
      title: summary,
      description: sentences.flatMap((one) => (one ? [one.replace(/\.?$/, '.')] : [])).join(' '),
      inputSchema: {
        type: 'object',
        properties: Object.assign({}, ...[params, query, body].map((part) => propertiesOf(part))),
        required: [params, query, body].flatMap(
          (part) => (simplified(part ?? {}) as { required?: string[] }).required ?? [],
        ),
      },
      annotations: {
        readOnlyHint: method === 'GET',
        destructiveHint: method !== 'GET' && (method !== 'POST' || id.endsWith('.remove')),
        idempotentHint: method !== 'POST',
      },
    },
  }
}

/** A file is its text: no model writes other files than those. What the log calls a body says more than what the endpoint asks for. */
const bodySchema = ({ upload, describedAs, body }: Endpoint): TSchema | undefined =>
  upload?.fields ?? describedAs ?? body

const namesOf = (shape: TObject | undefined) => Object.keys(shape?.properties ?? {})

const isObject = (schema: TSchema | undefined): schema is TObject => schema !== undefined && 'properties' in schema

const propertiesOf = (shape: unknown) => (simplified(shape ?? {}) as { properties?: object }).properties ?? {}

/** Without what is meant for us or takes more room than it tells. What has a default is not asked for. */
function simplified(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplified)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).filter(([word]) => !/^(?:x-.*|title|examples)$/.test(word))
  return Object.fromEntries(
    entries.map(([word, value]) => {
      if (word === 'properties' || word === 'patternProperties') return [word, simplifiedFields(value)]
      if (word === 'required') return [word, value.filter((name: string) => !hasDefault(schema, name))]
      return [word, simplified(value)]
    }),
  )
}

/** Fields have names of their own, and one of them may be `title`. */
const simplifiedFields = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, simplified(field)]))

const hasDefault = (schema: { properties?: Record<string, object> }, name: string) =>
  'default' in (schema.properties?.[name] ?? {})
