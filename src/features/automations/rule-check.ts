import Type from 'typebox'
import { fieldsOf } from '../../kernel/http/columns.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { oneOf } from '../../kernel/http/shapes.ts'
import { validate } from '../../kernel/http/validate.ts'
import { MAX_VALUE_LENGTH } from '../contact-properties/schema.ts'
import { OPERATORS, type Operator, type Rule } from './engine/graph.ts'

const MAX_RULES = 100
const MAX_DEPTH = 10

/** In characters. A name of an event has 255 at most, and what is looked up in it is a path. */
const MAX_REFERENCE_LENGTH = 1_000

/** What a reference can begin with. */
export type Root = 'event' | 'contact' | 'properties' | 'wait_events'
export const ALL_ROOTS: readonly Root[] = ['event', 'contact', 'properties', 'wait_events']

const Head = Type.Object({ type: oneOf(['rule', 'and', 'or']) })
const Group = Type.Object({ rules: Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_RULES }) })

const text = Type.String({ maxLength: MAX_VALUE_LENGTH })
const Asking = Type.Object({ field: Type.String(), operator: oneOf(OPERATORS) })
const Comparing = Type.Object({
  ...Asking.properties,
  value: Type.Union([text, Type.Number(), Type.Boolean(), Type.Null()]),
})
const ComparingNumbers = Type.Object({ ...Asking.properties, value: Type.Number() })
const ComparingTexts = Type.Object({ ...Asking.properties, value: text })

/** What a rule with each operator has. One schema and not two: a megabyte of rules is 17,000. */
const SHAPES: Record<Operator, typeof Asking | typeof Comparing | typeof ComparingNumbers | typeof ComparingTexts> = {
  eq: Comparing,
  neq: Comparing,
  gt: ComparingNumbers,
  gte: ComparingNumbers,
  lt: ComparingNumbers,
  lte: ComparingNumbers,
  contains: ComparingTexts,
  starts_with: ComparingTexts,
  ends_with: ComparingTexts,
  exists: Asking,
  is_empty: Asking,
}
const isOperator = (value: unknown): value is Operator => OPERATORS.some((operator) => operator === value)

interface Task {
  readonly given: unknown
  readonly path: string
  readonly depth: number
  /** Where the rule goes when it is checked. */
  readonly into: Rule[]
}

/** The rule with known fields only. Level by level and not by recursion: untrusted input may be deeper than the stack. */
export function checkRule(given: unknown, path: string, roots: readonly Root[]): Rule {
  const result: Rule[] = []
  const tasks: Task[] = [{ given, path, depth: 1, into: result }]
  for (const task of tasks) {
    if (task.depth > MAX_DEPTH) throw invalid(path, `Rules can be nested at most ${MAX_DEPTH} levels deep.`)
    const { type } = validate(Head, task.given, 'body', task.path)
    if (type === 'rule') {
      task.into.push(checkLeaf(task.given, task.path, roots))
      continue
    }
    const given = validate(Group, task.given, 'body', task.path).rules
    const rules: Rule[] = []
    task.into.push({ type, rules })
    for (const [index, inner] of given.entries())
      tasks.push({ given: inner, path: `${task.path}.rules[${index}]`, depth: task.depth + 1, into: rules })
    if (tasks.length > MAX_RULES) throw invalid(path, `It can have at most ${MAX_RULES} rules, groups included.`)
  }
  return result[0]!
}

function checkLeaf(given: unknown, path: string, roots: readonly Root[]): Rule {
  const asked = (given as { operator?: unknown }).operator
  const Shape = isOperator(asked) ? SHAPES[asked] : Asking
  const { field, operator, ...rest } = fieldsOf(Shape, validate(Shape, given, 'body', path))
  requireReference(field, `${path}.field`, roots)
  return { type: 'rule', field, operator, ...rest }
}

/** Whether there will be a value is known when a run looks for it; what it is a value of is known now. */
export function requireReference(reference: string, path: string, roots: readonly Root[]) {
  if (reference.length > MAX_REFERENCE_LENGTH)
    throw invalid(path, `It must be a string of at most ${MAX_REFERENCE_LENGTH} characters.`)
  const isKnown = roots.some((root) => reference.startsWith(`${root}.`) && reference.length > root.length + 1)
  if (!isKnown) throw invalid(path, `It must begin with ${listed(roots.map((root) => `\`${root}.\``))}.`)
}

const listed = (words: readonly string[]) =>
  words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

export const invalid = (path: string, reason: string) =>
  new Problem('validation_error', `Invalid \`${path}\` field. ${reason}`)
