import Type, { type Static } from 'typebox'
import { isId } from '../../platform/ids.ts'
import { Problem } from './problem.ts'
import { refusedWith, withoutPrefix } from './shapes.ts'

export const MAX_LIMIT = 100

const LIMIT_MESSAGE = `The pagination limit must be a number between 1 and ${MAX_LIMIT}.`
const cursorMessage = (name: string) => `The \`${name}\` cursor must be the id of an item.`

export const PageQuery = Type.Object({
  limit: Type.Optional(
    Type.String({ description: `How many items, 1 to ${MAX_LIMIT}.`, ...refusedWith(LIMIT_MESSAGE) }),
  ),
  after: Type.Optional(
    Type.String({
      description: 'Id of an item: the page that starts after it. Most lists begin with the newest.',
      ...refusedWith(cursorMessage('after')),
    }),
  ),
  before: Type.Optional(
    Type.String({
      description: 'Id of an item: the page that ends before it.',
      ...refusedWith(cursorMessage('before')),
    }),
  ),
})

/** Which part of a list is wanted. No limit: all of it. */
export interface Window {
  readonly limit: number | null
  readonly cursor: string | null
  readonly direction: 'older' | 'newer'
}

/** `defaultLimit` null: the list is given whole when no limit is asked for. `prefix` is what the ids of the list begin with. */
export function readWindow(query: Static<typeof PageQuery>, defaultLimit: number | null, prefix = ''): Window {
  const { limit, after, before } = query
  if (after !== undefined && before !== undefined)
    throw new Problem('validation_error', 'Use either `after` or `before`, not both.')
  return {
    limit: limit === undefined ? defaultLimit : readLimit(limit),
    cursor: readCursor('after', after, prefix) ?? readCursor('before', before, prefix) ?? null,
    direction: before === undefined ? 'older' : 'newer',
  }
}

function readLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new Problem('validation_error', LIMIT_MESSAGE)
}

function readCursor(name: string, text: string | undefined, prefix: string): string | undefined {
  const id = text && withoutPrefix(prefix, text)
  if (id === undefined || isId(id)) return id
  throw new Problem('validation_error', cursorMessage(name))
}
