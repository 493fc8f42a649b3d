import Type, { type Static } from 'typebox'
import { Problem } from './problem.ts'
import { prefixedId, refusedWith, withoutPrefix } from './shapes.ts'

export const MAX_LIMIT = 100

/** The paging parameters of a list whose ids begin with `prefix`. */
export const pageQuery = (prefix = '') => {
  const cursor = (name: 'after' | 'before', description: string) =>
    Type.String({
      ...(prefix === '' ? { format: 'uuid' } : prefixedId(prefix)),
      description,
      ...refusedWith(`The \`${name}\` cursor must be the id of an item.`),
    })
  return Type.Object({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_LIMIT,
        description: `How many items, 1 to ${MAX_LIMIT}.`,
        ...refusedWith(`The pagination limit must be a number between 1 and ${MAX_LIMIT}.`),
      }),
    ),
    after: Type.Optional(
      cursor('after', 'Id of an item: the page that starts after it. Most lists begin with the newest.'),
    ),
    before: Type.Optional(cursor('before', 'Id of an item: the page that ends before it.')),
  })
}

export type PageQuery = ReturnType<typeof pageQuery>

/** Which part of a list is wanted. No limit: all of it. */
export interface Window {
  readonly limit: number | null
  readonly cursor: string | null
  readonly direction: 'older' | 'newer'
}

/** `defaultLimit` null: the list is given whole when no limit is asked for. `prefix` is what the ids of the list begin with. */
export function readWindow(query: Static<PageQuery>, defaultLimit: number | null, prefix = ''): Window {
  const { limit = defaultLimit, after, before } = query
  if (after !== undefined && before !== undefined)
    throw new Problem('validation_error', 'Use either `after` or `before`, not both.')
  const cursor = after ?? before
  return {
    limit,
    cursor: cursor === undefined ? null : withoutPrefix(prefix, cursor),
    direction: before === undefined ? 'older' : 'newer',
  }
}
