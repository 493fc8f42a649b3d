import { type Sql, sql } from '../db/sql.ts'

/** An address as a whole is looked for as such, with an index. */
export const isWholeAddress = (text: string) => /^[^@]+@[^@]+\.[^@]+$/.test(text)

/**
 * What a filter by an address asks of a list. A whole address has an index; a part of one is a search (`to:`), in the index of documents, since nothing
 * else finds what is rare without a look at the whole list.
 */
export function readAddress(text: string | undefined): { readonly whole?: string; readonly part?: string } {
  if (!text) return {}
  return isWholeAddress(text) ? { whole: text } : { part: text }
}

/** Where a column has this address. */
export const hasAddress = (column: Sql, address: string): Sql => sql`lower(${column}) = ${address.toLowerCase()}`
