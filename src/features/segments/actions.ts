import type { Queryable } from '../../kernel/db/database.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { findSegments } from './queries.ts'
import type { SegmentWord } from './schema.ts'

const NAMES = { segment: 'Segment', audience: 'Audience' } as const

export const segmentNotFound = (word: SegmentWord = 'segment') => new Problem('not_found', `${NAMES[word]} not found`)

/** All of them exist and belong to the team; inside a transaction they stay until it ends. */
export async function requireSegments(db: Queryable, team: string, ids: readonly string[], word?: SegmentWord) {
  const distinct = [...new Set(ids)]
  if (distinct.length > 0 && (await findSegments(db, team, distinct)).length < distinct.length)
    throw segmentNotFound(word)
}
