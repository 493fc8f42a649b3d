import { FIRST_SANDBOX_ID, isId, momentOf, newId } from '../platform/ids.ts'

/** What an object of another account brings along. */
export interface Provenance {
  /** The id that it has there. */
  readonly id: string
  readonly created_at: Date
}

/** What an import did about one object: it is here under this id. */
export interface Imported {
  readonly id: string
  readonly outcome: 'created' | 'updated' | 'unchanged'
}

/** The id of another account that a new row can have: one that applications have kept goes on naming the same thing. */
export const keptId = (given: Provenance): string => (isId(given.id) ? given.id.toLowerCase() : datedId(given))

/**
 * The same where lists and searches rely on ids in the order of time more than anybody relies on the id: only one that says when it was made
 * is kept.
 */
export const orderedId = (given: Provenance): string => (isTimed(given) ? given.id.toLowerCase() : datedId(given))

/** A new id with the time at which the object was made. */
export const datedId = ({ created_at }: Provenance): string => newId({ now: () => created_at })

const DAY_MS = 86_400_000

function isTimed({ id, created_at }: Provenance): boolean {
  if (!isId(id) || id[14] !== '7' || id >= FIRST_SANDBOX_ID) return false
  return Math.abs(momentOf(id).getTime() - created_at.getTime()) < DAY_MS
}
