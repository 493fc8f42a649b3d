import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import { isAddress } from '../../mail/address.ts'
import { lazy } from '../../mail/lazy.ts'
import { isId } from '../../platform/ids.ts'
import type { Value } from './contract.ts'
import { expectation, type JsonSchema } from './expectation.ts'
import { Problem } from './problem.ts'
import { TIMESTAMP } from './shapes.ts'

const validator = lazy(() => {
  // Strict about numbers: `1e400` is JSON, but it is no number that could be kept.
  // As it comes: to tidy the code of a check takes a third of the time of compiling it (all 414 schemas: 2.3 s of CPU, 1.5 without), and
  // the check is no faster for it.
  const code = { optimize: false }
  const ajv = new Ajv({ strict: false, strictNumbers: true, verbose: true, useDefaults: true, code })
  ajv.addFormat('uuid', isId)
  ajv.addFormat('email', isAddress)
  ajv.addFormat('timestamp', TIMESTAMP)
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  return ajv
})

/** Where a value came from: it decides the name of the error. */
export type Source = 'body' | 'query' | 'params'

/** Compiled on first use: fifty schemas take a tenth of a second, which a start should not wait for. */
const compiled = new WeakMap<TSchema, ValidateFunction>()

/** The value as its schema describes it, or a Problem whose message names the field. `within` is where the value stands in its source. */
export function validate<Schema extends TSchema>(
  schema: Schema,
  given: unknown,
  source: Source,
  within = '',
): Value<Schema> {
  const check = compile(schema)
  const value =
    source === 'body' ? withoutAbsent(schema, given) : source === 'query' ? withNumbers(schema, given) : given
  if (check(value)) return value as Value<Schema>
  throw problemOf(check.errors!, source, within)
}

function compile(schema: TSchema): ValidateFunction {
  const known = compiled.get(schema)
  if (known) return known
  const check = validator().compile(schema)
  compiled.set(schema, check)
  return check
}

/** Whether a value is as its schema describes it, where nobody needs the reason. */
export const fits = (schema: TSchema, value: unknown): boolean => compile(schema)(value)

/** What is wrong with a value, in the validator's own words; null when nothing is. */
export function matches(schema: TSchema, value: unknown): string | null {
  const ajv = validator()
  return ajv.validate(schema, value) ? null : ajv.errorsText(ajv.errors)
}

/** Alternatives fail one by one and then together; what they say together is the useful sentence. */
function problemOf(errors: ErrorObject[], source: Source, within: string): Problem {
  const error = errors.at(-1)!.keyword === 'anyOf' ? errors.at(-1)! : errors[0]!
  const field = fieldName(error, within)
  if (error.keyword === 'required') {
    if (source === 'body') return new Problem('missing_required_field', `Missing \`${field}\` field.`)
    return new Problem('missing_required_parameter', `Missing \`${field}\` parameter.`)
  }
  const words = error.parentSchema!['x-refusal']
  if (typeof words === 'string') return new Problem('validation_error', words)
  const expected = expectation(error.parentSchema as JsonSchema)
  if (source !== 'body') return new Problem('invalid_parameter', `The \`${field}\` must be ${expected}.`)
  if (field === '') return new Problem('validation_error', `The request body must be ${expected}.`)
  if (error.parentSchema!.format === 'email') return new Problem('validation_error', addressMessage(field))
  const subject = error.propertyName === undefined ? 'It' : `The key \`${error.propertyName}\``
  return new Problem('validation_error', `Invalid \`${field}\` field. ${subject} must be ${expected}.`)
}

/** A mailbox may carry a name. */
export function addressMessage(field: string, kind: 'address' | 'mailbox' = 'address') {
  const forms = kind === 'address' ? '`email@example.com`' : '`email@example.com` or `Name <email@example.com>`'
  return `Invalid \`${field}\` field. The email address needs to follow the ${forms} format.`
}

/** `/topics/0/id` → `topics[0].id` */
function fieldName({ instancePath, keyword, params }: ErrorObject, within: string): string {
  const path = instancePath.split('/').slice(1).map(unescapePointer)
  if (keyword === 'required') path.push(params.missingProperty as string)
  return path.reduce((name, part) => name + (/^\d+$/.test(part) ? `[${part}]` : name ? `.${part}` : part), within)
}

const unescapePointer = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

interface ObjectSchema {
  type?: string
  properties?: Record<string, ObjectSchema>
  patternProperties?: Record<string, ObjectSchema>
  required?: readonly string[]
  items?: ObjectSchema
  anyOf?: readonly ObjectSchema[]
  'x-absent-if-empty'?: boolean
  'x-clearable'?: boolean
  'x-exact'?: boolean
}

const NUMBER = /^-?\d{1,9}(?:\.\d{1,9})?$/

/** A query is text: what the schema calls a number is read as one. Where it is none, the schema refuses it. */
function withNumbers({ properties = {} }: ObjectSchema, given: unknown): unknown {
  const read = { ...(given as Record<string, unknown>) }
  for (const [name, value] of Object.entries(read)) {
    const type = Object.hasOwn(properties, name) ? properties[name]!.type : undefined
    if ((type === 'integer' || type === 'number') && typeof value === 'string' && NUMBER.test(value))
      read[name] = Number(value)
  }
  return read
}

/**
 * Clients send `null`, `[]` and sometimes `""` for what they leave out: they mean absent, unless the schema gives `null` a meaning.
 * PHP writes `[]` for an object without fields, too.
 */
function withoutAbsent(schema: ObjectSchema, value: unknown): unknown {
  if (schema['x-exact']) return value
  if (Array.isArray(value)) return schema.items ? value.map((item) => withoutAbsent(schema.items!, item)) : value
  if (typeof value !== 'object' || value === null) return value
  if (schema.patternProperties) return withoutNulls(schema.patternProperties, value)
  if (!schema.properties) return value
  const present: Record<string, unknown> = { ...value }
  // By the names that are given: most of those that the schema knows are not.
  for (const name of Object.keys(present)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    if (!property || (property['x-exact'] && present[name] !== null)) continue
    const given = isEmpty(property, present[name]) ? null : present[name]
    if (isClearing(property, given)) present[name] = accepts(property, 'null') ? null : []
    else if (isAbsent(property, given, schema.required?.includes(name) ?? false)) delete present[name]
    else present[name] = withoutAbsent(property, given)
  }
  return present
}

/** Of a map of texts with names of the caller's own. */
function withoutNulls(patterns: Record<string, ObjectSchema>, value: object): object {
  const isOfTexts = Object.values(patterns).every(({ type }) => type === 'string')
  if (!isOfTexts || !Object.values(value).includes(null)) return value
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null))
}

/** `""`, or a list of nothing else. One empty text among others is a mistake: somebody would be left out without a word. */
const isEmpty = (schema: ObjectSchema, value: unknown): boolean =>
  schema['x-absent-if-empty'] === true &&
  (value === '' || (Array.isArray(value) && value.length > 0 && value.every((item) => item === '' || item === null)))

/** Takes away what was there, as `null` or as a list of nothing. */
const isClearing = (schema: ObjectSchema, value: unknown): boolean =>
  schema['x-clearable'] === true && (value === null || (Array.isArray(value) && value.length === 0))

function isAbsent(schema: ObjectSchema, value: unknown, isRequired: boolean): boolean {
  if (value === null) return !accepts(schema, 'null')
  return (
    !isRequired && Array.isArray(value) && value.length === 0 && (accepts(schema, 'array') || accepts(schema, 'object'))
  )
}

const accepts = (schema: ObjectSchema, type: string): boolean =>
  schema.type === type || (schema.anyOf?.some((choice) => accepts(choice, type)) ?? false)
