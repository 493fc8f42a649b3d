import type { Database, Queryable } from '../db/database.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { BEING_BUILT, catchUp, indexBelow } from './catch-up.ts'
import { SearchDeadline } from './deadline.ts'
import { everyOf, quoted, type Scope, SLICES } from './lexemes.ts'
import { behind, type IdRange, later, piecesOf, sooner } from './ranges.ts'
import type { SearchSource } from './source.ts'

/** What is looked for in a kind of items. */
export interface Search {
  readonly source: SearchSource
  readonly team: string
  /** What the index decides, as parts of a `tsquery` that all must hold. */
  readonly conditions: readonly string[]
  readonly range: IdRange
  /**
   * Set: what the item itself decides. `with` joins it to a document `d`, and `where` is a condition. It is looked up by its key (`lookUp`): a plain
   * join of 2,000 candidates was a merge with all items of the team.
   */
  readonly besides?: { readonly with: Sql; readonly where: Sql } | undefined
  /** Each selects the ids of all items that can fit. Where they are few, nothing else is looked at. */
  readonly ways?: readonly Sql[] | undefined
}

/** Joins a row that a document `d` leads to, under its name: one at a time, by its key. */
export const lookUp = (name: Sql, row: Sql): Sql => sql`cross join lateral (select * from ${row} limit 1) ${name}`

/** Which part of what is found. */
export interface Part {
  readonly cursor: string | null
  readonly isOlder: boolean
  readonly amount: number
}

/** Where to look, and for how many. */
interface Look {
  readonly range: IdRange
  readonly isOlder: boolean
  readonly amount: number
}

/** Documents that are looked at one after the other, from the cursor on: what is frequent is met there. */
const FIRST_SCAN = 1_000
const MAX_SCAN = 10_000
const MAX_SCANNED = 20_000
/** Of a thousand. Where fewer fit, the index finds them sooner. */
const MIN_DENSITY = 4
/** How many documents an answer of the index may have. */
const MAX_CANDIDATES = 2_000
/** Documents that are written at a time where there are none yet. */
const BACKFILL = 500

/**
 * Ids of the items that fit, from the cursor on, in the order of the list. What is there is found, since its document is written first. Then
 * documents are looked at in the order of the list; where few of them fit the index is asked, for pieces of time that have no more than some
 * thousand candidates. So neither a frequent word nor a rare one, nor one that was frequent once, is looked for in everything.
 */
export async function findIds(db: Database, search: Search, { cursor, isOlder, amount }: Part): Promise<string[]> {
  const { source } = search
  let { low } = await catchUp(db, search.team, source)
  const range = cursor === null ? search.range : rangeBehind(search.range, cursor, isOlder)
  if (range.from >= range.to) return []
  const deadline = new SearchDeadline(BEING_BUILT)
  const backfill = async () => {
    deadline.check()
    low = await indexBelow(db, search.team, source, BACKFILL)
  }
  while (!isOlder && low > range.from) await backfill()
  const found = await db.searching((trx) => findWithin(trx, search, { range, isOlder, amount }))
  // What is older has no documents yet: each search writes some, and the job goes on with it.
  while (found.length < amount && low > range.from) {
    const to = sooner(low, range.to)
    await backfill()
    const piece = { range: { from: later(low, range.from), to }, isOlder, amount: amount - found.length }
    if (piece.range.from < to) found.push(...(await db.searching((trx) => findWithin(trx, search, piece))))
  }
  return found
}

const rangeBehind = (range: IdRange, cursor: string, isOlder: boolean): IdRange =>
  isOlder
    ? { from: range.from, to: sooner(cursor, range.to) }
    : { from: later(behind(cursor), range.from), to: range.to }

async function findWithin(trx: Queryable, search: Search, look: Look): Promise<string[]> {
  for (const way of search.ways ?? []) {
    const few = await findAmongFew(trx, search, { ...look, way })
    if (few) return few
  }
  const found: string[] = []
  const missing = () => ({ ...look, amount: look.amount - found.length })
  let { range } = look
  for (let size = FIRST_SCAN, scanned = 0; ; ) {
    const { ids, count, last } = await scan(trx, search, { ...missing(), range, size })
    found.push(...ids)
    if (found.length >= look.amount || count < size) return found
    range = restBehind(range, last!, look.isOlder)
    scanned += size
    if (ids.length < (MIN_DENSITY * size) / 1_000 || scanned >= MAX_SCANNED) break
    size = Math.min(MAX_SCAN, Math.max(size, Math.ceil((1.5 * size * missing().amount) / ids.length)))
  }
  await askIndex(trx, search, { look: { ...look, range }, found })
  return found
}

const scopeOf = ({ team, source }: Search): Scope => ({ team, kind: source.kind })
const orderOf = ({ isOlder }: Look) => (isOlder ? sql`desc` : sql`asc`)
const queryOf = ({ conditions }: Search): Sql => sql`${conditions.join(' & ')}::tsquery`
const itemOf = ({ besides }: Search): Sql => besides?.with ?? sql``
const isWanted = ({ besides }: Search): Sql => besides?.where ?? sql`true`
const fits = (search: Search): Sql => (search.conditions.length === 0 ? sql`true` : sql`d.words @@ ${queryOf(search)}`)

/** So many documents in the order of the list, and those of them that fit. Put in order before items are looked up: no more of them than are wanted. */
async function scan(trx: Queryable, search: Search, look: Look & { readonly size: number }) {
  const { team, kind } = scopeOf(search)
  const { range, amount, isOlder, size } = look
  const [row] = await trx.query<{ count: number; last: string | null; ids: string[] }>(sql`
    with piece as materialized (
      select d.id, ${fits(search)} as fits from search_documents d
      where d.team_id = ${team} and d.kind = ${kind} and d.id >= ${range.from} and d.id < ${range.to}
      order by d.id ${orderOf(look)} limit ${size})
    select (select count(*) from piece)::int as count,
      (select p.id from piece p order by p.id ${isOlder ? sql`asc` : sql`desc`} limit 1) as last,
      array(
        select d.id::text from (select p.id from piece p where p.fits order by p.id ${orderOf(look)}) d ${itemOf(search)}
        where ${isWanted(search)} order by d.id ${orderOf(look)} limit ${amount}) as ids`)
  return row!
}

/** Null: they are many. */
async function findAmongFew(
  trx: Queryable,
  search: Search,
  look: Look & { readonly way: Sql },
): Promise<string[] | null> {
  const { team, kind } = scopeOf(search)
  const { range, amount, way } = look
  const [counted] = await trx.query<{ size: number }>(sql`
    select count(*)::int as size from (select from (${way}) one limit ${raw(String(MAX_CANDIDATES + 1))}) counted`)
  if (counted!.size > MAX_CANDIDATES) return null
  const rows = await trx.query<{ id: string }>(sql`
    select d.id from search_documents d ${itemOf(search)}
    where d.team_id = ${team} and d.kind = ${kind} and d.id = any (array(${way})) and d.id >= ${range.from} and d.id < ${range.to}
      and ${fits(search)} and ${isWanted(search)}
    order by d.id ${orderOf(look)} limit ${amount}`)
  return rows.map(({ id }) => id)
}

interface Asked {
  readonly look: Look
  readonly found: string[]
}

/** The index knows no order: a piece of time that has too many candidates is asked for in smaller ones, the nearest first. */
async function askIndex(trx: Queryable, search: Search, asked: Asked): Promise<void> {
  const { look, found } = asked
  const deadline = new SearchDeadline('Search timed out; narrow it or retry.')
  const ask = async (range: IdRange, mark: string | null, level: number): Promise<void> => {
    const part = { ...look, range, amount: look.amount - found.length }
    const { size, ids } = await candidates(trx, search, { ...part, mark })
    if (size <= MAX_CANDIDATES) {
      found.push(...ids)
      return
    }
    if (level === SLICES.length) return scanThrough(trx, search, { look: { ...look, range }, found, deadline })
    const whole = mark === null ? await surroundings(trx, search, range) : range
    for (const piece of piecesOf(scopeOf(search), whole, { slice: SLICES[level]!, isOlder: look.isOlder })) {
      if (found.length >= look.amount) return
      deadline.check()
      await ask(piece.range, piece.mark, level + 1)
    }
  }
  await ask(look.range, null, 0)
}

/** A short time in which thousands fit: they are near each other. */
async function scanThrough(
  trx: Queryable,
  search: Search,
  { look, found, deadline }: Asked & { readonly deadline: SearchDeadline },
): Promise<void> {
  for (let { range } = look; found.length < look.amount; deadline.check()) {
    const piece = { ...look, range, amount: look.amount - found.length, size: MAX_SCAN }
    const { ids, count, last } = await scan(trx, search, piece)
    found.push(...ids)
    if (count < MAX_SCAN) return
    range = restBehind(range, last!, look.isOlder)
  }
}

/** What is left of a range when a walk has come to an id. */
const restBehind = ({ from, to }: IdRange, last: string, isOlder: boolean): IdRange =>
  isOlder ? { from, to: last } : { from: behind(last), to }

/**
 * What the index answers, and the first ones of it in the order of the list. The piece of time is a question of its own: between two questions the
 * index skips in either's list to where the other goes on.
 */
async function candidates(trx: Queryable, search: Search, look: Look & { readonly mark: string | null }) {
  const scope = scopeOf(search)
  const { range, amount, mark } = look
  // By itself, what is only left out would be looked for in the documents of all teams.
  const hasOwn = search.conditions.some((condition) => !condition.startsWith('!'))
  const own = mark ?? (hasOwn ? null : everyOf(scope))
  const marked = own === null ? sql`` : sql`d.words @@ ${quoted(own)}::tsquery and`
  const [row] = await trx.query<{ size: number; ids: string[] }>(sql`
    with met as materialized (
      select d.team_id, d.kind, d.id from search_documents d where ${marked} ${fits(search)} limit ${raw(String(MAX_CANDIDATES + 1))})
    select (select count(*) from met)::int as size, array(
      select d.id::text from (
        select met.id from met
        where (select count(*) from met) <= ${raw(String(MAX_CANDIDATES))} and met.team_id = ${scope.team} and met.kind = ${scope.kind}
          and met.id >= ${range.from} and met.id < ${range.to}
        order by met.id ${orderOf(look)}) d ${itemOf(search)}
      where ${isWanted(search)} order by d.id ${orderOf(look)} limit ${amount}) as ids`)
  return row!
}

/** The part of a range that has documents. */
async function surroundings(trx: Queryable, search: Search, { from, to }: IdRange): Promise<IdRange> {
  const { team, kind } = scopeOf(search)
  const end = (order: Sql) => sql`(
    select d.id from search_documents d where d.team_id = ${team} and d.kind = ${kind} and d.id >= ${from} and d.id < ${to}
    order by d.id ${order} limit 1)`
  const [row] = await trx.query<{ first: string | null; last: string | null }>(
    sql`select ${end(sql`asc`)} as first, ${end(sql`desc`)} as last`,
  )
  const { first, last } = row!
  return first === null || last === null ? { from, to: from } : { from: first, to: behind(last) }
}
