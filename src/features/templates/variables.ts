import { Problem } from '../../kernel/http/problem.ts'
import { MAX_VARIABLES, type NewVariable, RESERVED_KEYS, type VariableType } from './schema.ts'

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

/** A variable that a content has. */
export interface UsedVariable {
  readonly key: string
  readonly fallback_value: string | null
}

const KEY = /^[A-Za-z0-9_]{1,50}$/

/**
 * What is declared, and what is used besides, as text. A fallback in the content is the one that its author sees, so it counts; a variable without
 * one there keeps what it has.
 */
export function declaredWith(declared: readonly NewVariable[], used: readonly UsedVariable[]): NewVariable[] {
  const variables = new Map<string, NewVariable>(declared.map((variable) => [variable.key, variable]))
  for (const { key, fallback_value } of used) {
    const known = variables.get(key)
    if (known?.type === 'string' && fallback_value !== null) variables.set(key, { ...known, fallback_value })
    if (known || !KEY.test(key) || RESERVED_KEYS.includes(key) || variables.size >= MAX_VARIABLES) continue
    variables.set(key, { key, type: 'string', fallback_value })
  }
  return [...variables.values()]
}
