import type { TSchema } from 'typebox'

interface Marked {
  'x-secret'?: boolean
  'x-bulky'?: boolean
  properties?: Record<string, Marked>
  items?: Marked
  anyOf?: readonly Marked[]
}

const HIDDEN = '[redacted]'
const LEFT_OUT = '[left out]'
/** A text that is longer makes a body that the log does not keep: its length says more, and nothing has to copy it. */
const MAX_LOGGED_TEXT = 16_384
/** An object or a list with more is longer than anything that the log keeps, and takes long to copy. */
const MAX_LOGGED_FIELDS = 4_096

/**
 * A body as it may be kept: fields that the schema marks as secret are blanked, those it marks as bulky (the content of an email,
 * which is kept elsewhere) say only how long they were. Most bodies have neither and stay the text that they are.
 */
export function redact(text: string | null, schema: TSchema | undefined, parsed?: unknown): string | null {
  if (text === null || !schema || !isMarked(schema)) return text
  return JSON.stringify(blank(parsed ?? JSON.parse(text), schema))
}

const known = new WeakMap<object, boolean>()

function isMarked(schema: Marked): boolean {
  const remembered = known.get(schema)
  if (remembered !== undefined) return remembered
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(schema.anyOf ?? []),
  ]
  const answer = schema['x-secret'] === true || schema['x-bulky'] === true || inner.some(isMarked)
  known.set(schema, answer)
  return answer
}

function blank(value: unknown, given: Marked): unknown {
  // Of alternatives the marked one decides, whichever was meant: `null` or a text is a text that may be there.
  const schema = given.anyOf?.find(isMarked) ?? given
  if (value === null || value === undefined) return value
  if (schema['x-secret']) return HIDDEN
  const isBulky = schema['x-bulky'] === true
  if (typeof value === 'string')
    return isBulky || value.length > MAX_LOGGED_TEXT ? `[${value.length} characters]` : value
  if (isBulky) return LEFT_OUT
  if (Array.isArray(value))
    return value.length > MAX_LOGGED_FIELDS ? LEFT_OUT : value.map((item) => blank(item, schema.items ?? {}))
  if (typeof value !== 'object') return value
  const fields = Object.entries(value)
  if (fields.length > MAX_LOGGED_FIELDS) return LEFT_OUT
  return Object.fromEntries(
    fields.map(([name, inner]) => {
      const field = fieldOf(schema, name)
      return [name, blank(inner, field ?? {})]
    }),
  )
}

/** Callers choose the names, and every object has a `constructor`. */
const fieldOf = ({ properties = {} }: Marked, name: string) =>
  Object.hasOwn(properties, name) ? properties[name] : undefined
