import type { Static } from 'typebox'
import type { ThreadItem } from '../../../../src/features/inboxes/threads/schema.ts'

/** A thread in a list; in one that was searched for, with what was found. */
export type ThreadRow = Static<typeof ThreadItem> & {
  readonly matched_email_id?: string | null
  readonly matched_text?: string | null
}

/** As many rows of a list as were read until now, without a gap. */
export interface Rows {
  readonly threads: readonly ThreadRow[]
  readonly hasMore: boolean
}

export interface PageOfRows {
  readonly data: readonly ThreadRow[]
  readonly has_more: boolean
}

/**
 * The rows once a piece of the list was read again: `page` is what comes behind the row `after`, or the beginning. What is in the page
 * counts; rows that it should have and has not are elsewhere now. Rows behind it stay, as long as it reaches them.
 */
export function withPage({ threads, hasMore }: Rows, after: string | null, { data, has_more }: PageOfRows): Rows {
  const start = after === null ? 0 : threads.findIndex(({ id }) => id === after) + 1
  // The row that it was to come behind has gone meanwhile: whoever asked asks again.
  if (after !== null && start === 0) return { threads, hasMore }
  const fresh = new Set(data.map(({ id }) => id))
  const isOld = ({ id }: ThreadRow) => !fresh.has(id)
  const before = threads.slice(0, start).filter(isOld)
  // Rows that got new mail have come up from anywhere; the last of the page is where it was.
  const last = data.findLast(({ id }) => threads.some((old, index) => index >= start && old.id === id))
  const reached = last ? threads.findIndex(({ id }) => id === last.id) : -1
  const rest = has_more && reached >= 0 ? threads.slice(reached + 1).filter(isOld) : []
  return { threads: [...before, ...data, ...rest], hasMore: rest.length > 0 ? hasMore : has_more }
}

/** Behind which row to read again so that these rows are in the page. */
export const anchorOf = ({ threads }: Rows, firstInSight: number): string | null =>
  threads[Math.max(0, firstInSight) - 1]?.id ?? null
