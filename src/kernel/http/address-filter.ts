import { type Sql, sql } from '../db/sql.ts'

/** An address as a whole is looked for as such, with an index. */
export const isWholeAddress = (text: string) => /^[^@]+@[^@]+\.[^@]+$/.test(text)

/**
 * Where a column has the address, or the part of one. There is no index for parts: one that has every three letters of an address
 * (pg_trgm) would be written with each row of the ledger, three times in its life. The list is walked instead, the newest first, and
 * what is frequent is soon met: a page of it takes 1 to 3 ms. What is rare or missing is looked for in everything: 0.66 s for 300,000
 * rows on a busy machine, on a connection of its own and for no longer than a team's statements may take.
 */
export const hasAddress = (column: Sql, text: string): Sql =>
  isWholeAddress(text)
    ? sql`lower(${column}) = ${text.toLowerCase()}`
    : sql`position(${text.toLowerCase()} in lower(${column})) > 0`
