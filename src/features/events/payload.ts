import { Problem } from '../../kernel/http/problem.ts'
import { readIso } from '../../mail/moment.ts'
import { UTC } from '../../mail/time-zone.ts'
import { type EventSchema, type FIELD_TYPES, MAX_PAYLOAD_BYTES, MAX_PAYLOAD_DEPTH } from './schema.ts'

export type Payload = Readonly<Record<string, unknown>>

type FieldType = (typeof FIELD_TYPES)[number]

/** How large it is as JSON, unless it is too large, too deep, or holds what JSON cannot. */
export function measure(payload: Payload): number {
  requireDepth(payload, 'payload', 1)
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  if (bytes > MAX_PAYLOAD_BYTES) throw invalid('payload', `It must be at most ${MAX_PAYLOAD_BYTES / 1024} kB of JSON.`)
  return bytes
}

function requireDepth(value: unknown, field: string, depth: number) {
  // `1e400` is JSON, and would come back as null.
  if (typeof value === 'number' && !Number.isFinite(value)) throw invalid(field, 'The number is too large.')
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_PAYLOAD_DEPTH)
    throw invalid('payload', `It is nested too deeply. It can have ${MAX_PAYLOAD_DEPTH} levels.`)
  for (const [key, inner] of Object.entries(value)) requireDepth(inner, `${field}.${key}`, depth + 1)
}

/**
 * The payload with each field of the type that the schema says: what is written otherwise and means such a value becomes one. Fields that
 * are missing, null or not in the schema stay as they are.
 */
export function coerce(payload: Payload, schema: EventSchema): Payload {
  // Made of entries, so that a field named `__proto__` is a field like any other.
  return Object.fromEntries(
    Object.entries(payload).map(([field, value]) => {
      if (value === null || !Object.hasOwn(schema, field)) return [field, value]
      const type = schema[field]!
      const coerced = COERCE[type](value)
      if (coerced === undefined) throw invalid(`payload.${field}`, `It must be ${EXPECTED[type]}.`)
      return [field, coerced]
    }),
  )
}

const EXPECTED: Record<FieldType, string> = {
  string: 'a string',
  number: 'a number',
  boolean: '`true` or `false`',
  date: 'a date in ISO 8601 or milliseconds since 1970',
}

/** The value as one of the type; undefined when it is none. */
const COERCE: Record<FieldType, (value: unknown) => unknown> = {
  string: (value) => (isPlain(value) ? String(value) : undefined),
  number(value) {
    if (typeof value === 'number') return value
    return typeof value === 'string' ? readNumber(value) : undefined
  },
  boolean(value) {
    if (typeof value === 'boolean') return value
    return value === 'true' ? true : value === 'false' ? false : undefined
  },
  date(value) {
    if (typeof value === 'number') return isoOf(new Date(value))
    if (typeof value !== 'string') return undefined
    const reading = readIso(value.trim(), UTC)
    return reading && 'moment' in reading ? isoOf(reading.moment) : undefined
  },
}

const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

function readNumber(text: string): number | undefined {
  const written = text.trim()
  const number = NUMBER.test(written) ? Number(written) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

/** Of a year with four digits: others are written in a way that few understand. */
function isoOf(moment: Date): string | undefined {
  const year = moment.getUTCFullYear()
  return year >= 0 && year <= 9999 ? moment.toISOString() : undefined
}

const invalid = (field: string, reason: string) =>
  new Problem('validation_error', `Invalid \`${field}\` field. ${reason}`)
