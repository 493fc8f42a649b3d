import Type from 'typebox'
import { isId } from '../../platform/ids.ts'
import { Problem } from './problem.ts'

// Query parameters that name several things.

const MAX_IDS = 100

export const OneOrMore = Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())]))

export function readChoice<Choice extends string>(name: string, choices: readonly Choice[], text: string): Choice {
  if (choices.includes(text as Choice)) return text as Choice
  throw new Problem('validation_error', `Invalid \`${name}\`. It must be one of ${choices.join(', ')}.`)
}

/** `a,b`, `name=a&name=b`, or both. */
const split = (given: string | readonly string[] | undefined) =>
  [given ?? []]
    .flat()
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter(Boolean)

/** Empty: nothing was given. */
export function readList<Choice extends string>(
  name: string,
  choices: readonly Choice[],
  given: string | readonly string[] | undefined,
): readonly Choice[] {
  const words = split(given)
  return [...new Set(words.map((word) => readChoice(name, choices, word)))]
}

export const orAll = <Choice>(chosen: readonly Choice[], all: readonly Choice[]): readonly Choice[] =>
  chosen.length === 0 ? all : chosen

export function readIds(name: string, given: string | readonly string[] | undefined): readonly string[] {
  const ids = split(given)
  if (!ids.every(isId)) throw new Problem('invalid_parameter', `The \`${name}\` must be a valid UUID.`)
  if (ids.length > MAX_IDS)
    throw new Problem('validation_error', `Invalid \`${name}\`. It must be at most ${MAX_IDS} ids.`)
  return ids
}
