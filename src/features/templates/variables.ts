import { Problem } from '../../kernel/http/problem.ts'
import { type NewVariable, RESERVED_KEYS, type VariableType } from './schema.ts'

const typeOf = (value: unknown) => (Array.isArray(value) ? 'list' : typeof value)

export const isOfType = (type: VariableType, value: unknown): boolean => value !== null && typeOf(value) === type

/** The variables of a template as its author declares them. */
export function requireVariables(variables: readonly NewVariable[]) {
  const seen = new Set<string>()
  for (const [index, { key, type, fallback_value: fallback }] of variables.entries()) {
    if (RESERVED_KEYS.includes(key)) throw refusal(index, 'key', `\`${key}\` is reserved.`)
    if (seen.has(key)) throw refusal(index, 'key', `\`${key}\` is declared twice.`)
    seen.add(key)
    if (fallback !== undefined && fallback !== null && !isOfType(type, fallback))
      throw refusal(index, 'fallback_value', `It must be of the type \`${type}\`.`)
  }
}

const refusal = (index: number, field: string, reason: string) =>
  new Problem('validation_error', `Invalid \`variables[${index}].${field}\` field. ${reason}`)
