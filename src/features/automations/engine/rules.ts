import type { Operator, Rule } from './graph.ts'

/** A rule about a field that is not there. `exists` and `is_empty` ask whether it is, and the other operators need it. */
export class MissingField extends Error {
  readonly field: string

  constructor(field: string) {
    super(`There is no \`${field}\`.`)
    this.field = field
  }
}

/** A field is there, and of a type that the operator cannot compare. */
export class WrongType extends Error {
  readonly field: string

  constructor(field: string, operator: Operator, needed: string, value: unknown) {
    super(`\`${field}\` is ${kindOf(value)}. The operator \`${operator}\` needs ${needed}.`)
    this.field = field
  }
}

/**
 * Whether the rule holds. Of `and` and `or` only as many rules are looked at as decide it, in their order: `exists` in front of a
 * rule keeps it from failing. Rules that are kept are ten deep at most.
 */
export function evaluate(rule: Rule, lookUp: (field: string) => unknown): boolean {
  if (rule.type !== 'rule') {
    const holds = (inner: Rule) => evaluate(inner, lookUp)
    return rule.type === 'and' ? rule.rules.every(holds) : rule.rules.some(holds)
  }

  const { field, operator, value: wanted } = rule
  const value = lookUp(field)
  if (operator === 'exists') return value !== undefined && value !== null
  if (operator === 'is_empty') return isEmpty(value)
  if (value === undefined) throw new MissingField(field)
  if (operator === 'eq') return value === wanted
  if (operator === 'neq') return value !== wanted

  const compareNumbers = NUMBERS[operator]
  if (compareNumbers) {
    if (typeof value !== 'number') throw new WrongType(field, operator, 'a number', value)
    return compareNumbers(value, wanted as number)
  }
  if (typeof value !== 'string') throw new WrongType(field, operator, 'a text', value)
  return TEXTS[operator]!(value, wanted as string)
}

const NUMBERS: Partial<Record<Operator, (value: number, wanted: number) => boolean>> = {
  gt: (value, wanted) => value > wanted,
  gte: (value, wanted) => value >= wanted,
  lt: (value, wanted) => value < wanted,
  lte: (value, wanted) => value <= wanted,
}

const TEXTS: Partial<Record<Operator, (value: string, wanted: string) => boolean>> = {
  contains: (value, wanted) => value.includes(wanted),
  starts_with: (value, wanted) => value.startsWith(wanted),
  ends_with: (value, wanted) => value.endsWith(wanted),
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return { string: 'a text', number: 'a number', boolean: 'true or false' }[typeof value as string] ?? 'an object'
}
