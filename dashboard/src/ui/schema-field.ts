import type { TObject } from 'typebox'

/** The part of a JSON Schema that a form can make something of. */
export interface FieldSchema {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly default?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly description?: string
  readonly anyOf?: readonly FieldSchema[]
}

export interface FieldRules {
  readonly schema: FieldSchema
  readonly isRequired: boolean
  readonly isNullable: boolean
}

/** What the API asks of a field: the same object that it validates with on the server. */
export function rulesOf(shape: TObject, name: string): FieldRules {
  const given = shape.properties[name] as FieldSchema
  const choices = given.anyOf?.filter(({ type }) => type !== 'null')
  const schema = choices?.length === 1 ? { ...given, ...choices[0]! } : given
  return {
    schema,
    isRequired:
      (shape.required as readonly string[] | undefined)?.includes(name) === true && schema.default === undefined,
    isNullable: given.anyOf?.some(({ type }) => type === 'null') ?? false,
  }
}

/** The rules as the browser checks them itself, before anything is sent. */
export const constraintsOf = ({ schema, isRequired }: FieldRules) => ({
  required: isRequired,
  type: schema.format === 'email' ? 'email' : schema.type === 'number' || schema.type === 'integer' ? 'number' : 'text',
  // The browser takes whole numbers only unless it is told otherwise.
  ...(schema.type === 'number' && { step: 'any' }),
  ...(schema.minimum !== undefined && { min: schema.minimum }),
  ...(schema.minLength !== undefined && { minLength: schema.minLength }),
  ...(schema.maxLength !== undefined && { maxLength: schema.maxLength }),
  ...(schema.pattern !== undefined && { pattern: asHtmlPattern(schema.pattern), title: schema.description }),
})

/** Browsers read a pattern with the flag `v`, for which some characters of a class have to be escaped. The flag `u` allows that. */
export const asHtmlPattern = (pattern: string) =>
  pattern.replace(/(?<!\\)\[((?:[^\]\\]|\\.)*)\]/g, (_, inside: string) => {
    const escaped = inside.replace(/\\.|[(){}/|[]|-$|^-/g, (part) => (part.startsWith('\\') ? part : `\\${part}`))
    return `[${escaped}]`
  })

/** What was typed, as the API takes it. Undefined: leave it out. */
export function asValue({ schema, isNullable }: FieldRules, text: string): unknown {
  if (schema.type === 'boolean') return text === 'true'
  const isNothing = schema.enum === undefined ? schema.minLength !== 0 : isNullable
  if (text === '' && isNothing) return isNullable ? null : undefined
  if (schema.type === 'number' || schema.type === 'integer') return Number(text)
  return text
}
