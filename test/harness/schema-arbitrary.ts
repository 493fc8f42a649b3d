import fc, { type Arbitrary } from 'fast-check'

export interface Schema {
  $ref?: string
  type?: string
  format?: string
  pattern?: string
  enum?: readonly unknown[]
  const?: unknown
  examples?: readonly unknown[]
  anyOf?: readonly Schema[]
  allOf?: readonly Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: readonly string[]
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
}

/** Where `$ref` leads, and ids of things that are there, by the name of the field that asks for one. */
export interface Known {
  resolve(reference: string): Schema
  idFor(field: string): string | undefined
}

const MAX_DEPTH = 6
const MAX_TEXT = 300

/** Values that the schema accepts, with all kinds of text, and with examples and known ids more often than chance has them. */
export function arbitraryOf(schema: Schema, known: Known, field = '', depth = 0): Arbitrary<unknown> {
  const inside = (inner: Schema, name = field) => arbitraryOf(inner, known, name, depth + 1)
  if (schema.$ref) return inside(known.resolve(schema.$ref))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => inside(one)))
  if (schema.allOf)
    return fc.tuple(...schema.allOf.map((one) => inside(one))).map((parts) => Object.assign({}, ...parts))
  const any = anyOf(schema, inside, { known, field, depth })
  return schema.examples ? fc.oneof(any, fc.constantFrom(...schema.examples)) : any
}

type Inside = (schema: Schema, name?: string) => Arbitrary<unknown>

function anyOf(
  schema: Schema,
  inside: Inside,
  { known, field, depth }: { known: Known; field: string; depth: number },
) {
  switch (schema.type) {
    case 'object':
      return depth > MAX_DEPTH ? fc.constant({}) : objectOf(schema, inside)
    case 'array': {
      const { minItems = 0, maxItems = 4 } = schema
      const maxLength = Math.max(minItems, depth > MAX_DEPTH ? 0 : Math.min(maxItems, 4))
      return fc.array(inside(schema.items ?? {}), { minLength: minItems, maxLength })
    }
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000_000 })
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true })
    case 'string':
      return textOf(schema, known.idFor(field))
    case 'null':
      return fc.constant(null)
    default:
      return fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant({}))
  }
}

function objectOf({ properties = {}, patternProperties = {}, required = [] }: Schema, inside: Inside) {
  const fields = Object.entries(properties).map(([name, inner]) => [name, inside(inner, name)] as const)
  const fixed = fc.record(Object.fromEntries(fields), { requiredKeys: required.filter((name) => name in properties) })
  const [any] = Object.values(patternProperties)
  if (!any) return fixed
  const named = fc.dictionary(fc.stringMatching(/^[a-zA-Z_]{1,12}$/), inside(any), { maxKeys: 4 })
  return fc.tuple(fixed, named).map(([own, others]) => ({ ...others, ...own }))
}

function textOf({ format, pattern, minLength = 0, maxLength = MAX_TEXT }: Schema, id: string | undefined) {
  if (format === 'uuid')
    return id ? fc.oneof({ weight: 3, arbitrary: fc.constant(id) }, { weight: 1, arbitrary: fc.uuid() }) : fc.uuid()
  if (format === 'email') return fc.stringMatching(/^[a-z0-9]{1,12}@[a-z]{1,8}\.example$/)
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((at) => at.toISOString())
  if (pattern) return matching(new RegExp(pattern)).filter((text) => text.length <= maxLength)
  const limit = Math.min(maxLength, MAX_TEXT)
  const size = { minLength, maxLength: Math.max(limit, minLength) }
  return fc.oneof(
    fc.string({ ...size, maxLength: Math.max(minLength, Math.min(limit, 30)) }),
    fc.string({ ...size, unit: 'grapheme' }).filter((text) => text.length <= maxLength && text.isWellFormed()),
    fc.constant('x'.repeat(Math.max(1, minLength, limit))),
  )
}

/** The library knows no assertions but those of the beginning and the end. */
const matching = (pattern: RegExp): Arbitrary<string> =>
  /\(\?[=!<]/.test(pattern.source)
    ? fc.oneof(fc.stringMatching(/^[a-z0-9]{1,12}$/), fc.string()).filter((text) => pattern.test(text))
    : fc.stringMatching(pattern)

/** What belongs nowhere. As JSON, since some of it is no value of the language. */
const HOSTILE: readonly string[] = [
  'null',
  'true',
  '-1',
  '1e400',
  '0.1e-300',
  '9007199254740993',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud83d"',
  '"\\u202e\\ufeff\\u2028"',
  `"${'ä'.repeat(5_000)}"`,
  '[]',
  '[null]',
  '[[[[]]]]',
  `[${'0,'.repeat(2_000)}0]`,
  '{}',
  '{"__proto__":{"id":1}}',
  `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`,
  '"../../etc"',
  '"a\\r\\nBcc: b@example.com"',
  `"'; drop table emails; --"`,
]

const MARK = '@@hostile@@'

/** JSON texts of a value with one thing wrong: a field replaced, left out or added, anywhere in it. */
export function spoiled(value: unknown): Arbitrary<string> {
  const paths = [...pathsOf(value)]
  return fc
    .record({
      path: fc.constantFrom(...paths),
      act: fc.constantFrom('replace', 'replace', 'remove', 'add'),
      hostile: fc.constantFrom(...HOSTILE),
    })
    .map(({ path, act, hostile }) => {
      const text = JSON.stringify(changed(value, path, act)) ?? MARK
      return text.replace(`"${MARK}"`, () => hostile).replace(MARK, () => hostile)
    })
}

function* pathsOf(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  yield path
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) yield* pathsOf(inner, [...path, name])
}

function changed(value: unknown, [name, ...rest]: readonly string[], act: string): unknown {
  if (name === undefined) {
    if (act !== 'add' || typeof value !== 'object' || value === null || Array.isArray(value)) return MARK
    return { ...value, 'x unknown': MARK }
  }
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  if (act === 'remove' && rest.length === 0) delete copy[name]
  else copy[name] = changed(copy[name], rest, act)
  return copy
}
