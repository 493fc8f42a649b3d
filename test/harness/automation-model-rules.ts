import type { Rule } from '../../src/features/automations/engine/graph.ts'

// Rules, references and durations of the model, written apart from those of the engine on purpose.

const UNITS: Record<string, number> = { week: 604_800, day: 86_400, hour: 3_600, minute: 60, second: 1 }

/** Of a normalised duration. */
export function secondsOf(duration: string): number {
  const words = duration.split(' ')
  let seconds = 0
  for (let index = 0; index < words.length; index += 2)
    seconds += Number(words[index]) * UNITS[words[index + 1]!.replace(/s$/, '')]!
  return seconds
}

/** An event that lacks what the filter asks for is another one than is waited for. */
export const passes = (filter: Rule, payload: unknown) =>
  evaluate(filter, (field) => inside({ event: payload }, field.split('.'))) === true

export function inside(value: unknown, path: readonly string[]): unknown {
  let inner = value
  for (const part of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, part)) return undefined
    inner = (inner as Record<string, unknown>)[part]
  }
  return inner
}

/** Null when it cannot be said: a field is not there, or of the wrong type. Rules behind the one that decides are not asked. */
export function evaluate(rule: Rule, lookUp: (field: string) => unknown): boolean | null {
  if (rule.type !== 'rule') {
    const decides = rule.type === 'or'
    for (const inner of rule.rules) {
      const result = evaluate(inner, lookUp)
      if (result === null || result === decides) return result
    }
    return !decides
  }
  const value = lookUp(rule.field)
  const wanted = rule.value as never
  switch (rule.operator) {
    case 'exists':
      return (value ?? null) !== null
    case 'is_empty':
      return ['', null].includes((value ?? null) as null) || (Array.isArray(value) && value.length === 0)
    case 'eq':
    case 'neq':
      return value === undefined ? null : (value === wanted) === (rule.operator === 'eq')
    case 'contains':
    case 'starts_with':
    case 'ends_with': {
      if (typeof value !== 'string') return null
      const at = rule.operator === 'ends_with' ? value.lastIndexOf(wanted) : value.indexOf(wanted)
      if (rule.operator === 'contains') return at >= 0
      return at >= 0 && at === (rule.operator === 'starts_with' ? 0 : value.length - String(wanted).length)
    }
    default: {
      if (typeof value !== 'number') return null
      const difference = value - wanted
      const isStrict = rule.operator === 'gt' || rule.operator === 'lt'
      const direction = rule.operator.startsWith('g') ? difference : -difference
      return isStrict ? direction > 0 : direction >= 0
    }
  }
}
