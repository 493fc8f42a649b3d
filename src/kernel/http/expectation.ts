export interface JsonSchema {
  type?: string
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly JsonSchema[]
  format?: string
  items?: JsonSchema
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  pattern?: string
  description?: string
  properties?: Record<string, JsonSchema>
  /** Better words than those that follow from the rest. */
  'x-expected'?: string
}

const FORMATS: Record<string, string> = {
  uuid: 'a valid UUID',
  email: 'an email address like `email@example.com`',
}

/** Says in words what a schema accepts: the second half of "Invalid `name` field. It must be …". */
export function expectation(schema: JsonSchema): string {
  if (schema['x-expected']) return schema['x-expected']
  if (schema.anyOf) return schema.anyOf.map(expectation).join(' or ')
  if (schema.enum) return `one of ${schema.enum.map((choice) => `\`${choice}\``).join(', ')}`
  if (schema.const !== undefined) return `\`${schema.const}\``
  switch (schema.type) {
    case 'string':
      return (
        FORMATS[schema.format ?? ''] ??
        `a string${ofLength(schema.minLength, schema.maxLength, 'characters')}${written(schema)}`
      )
    case 'number':
    case 'integer':
      return `a number${between(schema.minimum, schema.maximum)}`
    case 'array':
      return `a list${ofLength(schema.minItems, schema.maxItems, 'items')}`
    case 'boolean':
      return '`true` or `false`'
    case 'null':
      return '`null`'
    default:
      return 'an object'
  }
}

function ofLength(min: number | undefined, max: number | undefined, unit: string) {
  if (min && max) return ` of ${min} to ${max} ${unit}`
  if (max) return ` of at most ${max} ${unit}`
  return min ? ` of at least ${min} ${min === 1 ? unit.slice(0, -1) : unit}` : ''
}

const between = (min?: number, max?: number) => (min !== undefined && max !== undefined ? ` from ${min} to ${max}` : '')

/** A pattern means nothing to most people; its schema says in words what it allows. */
const written = ({ pattern, description }: JsonSchema) => (pattern && description ? ` (${description})` : '')
