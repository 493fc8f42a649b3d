import type { TSchema } from 'typebox'

interface Marked {
  'x-secret'?: boolean
  properties?: Record<string, Marked>
  items?: Marked
}

const HIDDEN = '[redacted]'

/** The body's text as it may be kept: fields that the schema marks as secret are blanked. Most bodies have none and stay as they are. */
export function redact(text: string | null, schema: TSchema | undefined): string | null {
  if (text === null || !schema || !hasSecret(schema)) return text
  return JSON.stringify(blank(JSON.parse(text), schema))
}

const known = new WeakMap<object, boolean>()

function hasSecret(schema: Marked): boolean {
  const remembered = known.get(schema)
  if (remembered !== undefined) return remembered
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])]
  const answer = schema['x-secret'] === true || inner.some(hasSecret)
  known.set(schema, answer)
  return answer
}

function blank(value: unknown, schema: Marked): unknown {
  if (schema['x-secret']) return HIDDEN
  if (Array.isArray(value)) return schema.items ? value.map((item) => blank(item, schema.items!)) : value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const field = schema.properties?.[name]
      return [name, field ? blank(inner, field) : inner]
    }),
  )
}
