import type { Queryable } from '../db/database.ts'
import { join, raw, type Sql, sql } from '../db/sql.ts'
import { isOf, tableOf } from './documents.ts'
import type { Search } from './find.ts'
import { everyOf, quoted, type Scope } from './lexemes.ts'
import { fits, names, type Question } from './question.ts'
import { behind, growingPieces, type IdRange, weeksWith } from './ranges.ts'

/** Where to look, and for how many. */
export interface Look {
  readonly range: IdRange
  readonly isOlder: boolean
  readonly amount: number
}

/** How many documents an answer of the index may have. */
export const MAX_CANDIDATES = 2_000

export const scopeOf = ({ team, source }: Search): Scope => ({ team, kind: source.kind })

const orderOf = ({ isOlder }: Look) => (isOlder ? sql`desc` : sql`asc`)

/** The ids of documents `d`, in their order: those whose items are wanted, or, where items are asked in a statement of their own, all of them. */
function idsAmong({ besides }: Search, look: Look, documents: Sql): Sql {
  const all = sql`select d.id::text from (${documents}) d`
  const order = sql`order by d.id ${orderOf(look)}`
  if (!besides) return sql`${all} ${order} limit ${look.amount}`
  if ('within' in besides) return sql`${all} ${order}`
  return sql`${all} ${besides.with} where ${besides.where} ${order} limit ${look.amount}`
}

/**
 * Those of the ids whose items are wanted. Items in partitions are asked for with the range of their ids as values: joined to their documents in one
 * statement they were looked for in all weeks, and planning that took 2.1 ms, as long as looking at a thousand documents. The candidates of a rare
 * word are from all weeks, too, so the nearest of them are looked up first.
 */
async function wantedOf(
  trx: Queryable,
  { besides }: Search,
  look: Look & { readonly ids: readonly string[] },
): Promise<readonly string[]> {
  const { ids, amount, isOlder } = look
  if (!besides || 'with' in besides) return ids
  const wanted: string[] = []
  for (const piece of growingPieces(ids)) {
    const [first, last] = [piece[0], piece.at(-1)!]
    const range = isOlder ? { from: last, to: behind(first) } : { from: first, to: behind(last) }
    const rows = await trx.query<{ id: string }>(sql`
      select d.id from (select given.id from unnest(${piece}::uuid[]) given (id) order by given.id ${orderOf(look)}) d ${besides.within(range)}
      where ${besides.where} order by d.id ${orderOf(look)} limit ${amount - wanted.length}`)
    wanted.push(...rows.map(({ id }) => id))
    if (wanted.length >= amount) break
  }
  return wanted
}

/** Documents `d` of a range, in the order of the list. */
const documentsOf = ({ source, team }: Search, look: Look): Sql => sql`
  ${tableOf(source)} d where ${isOf(source, team)} and d.id >= ${look.range.from} and d.id < ${look.range.to}
  order by d.id ${orderOf(look)}`

/** So many documents in the order of the list, how many fit, and those of them that are wanted. Put in order before items are looked up: no more of them than are wanted. */
export async function scan(trx: Queryable, search: Search, look: Look & { readonly size: number }) {
  const { isOlder, size } = look
  const fitting = sql`select p.id from piece p where p.fits order by p.id ${orderOf(look)}`
  const [row] = await trx.query<{ count: number; last: string | null; ids: string[] }>(sql`
    with piece as materialized (
      select d.id, ${fits(search.conditions)} as fits from ${documentsOf(search, look)} limit ${size})
    select (select count(*) from piece)::int as count,
      (select p.id from piece p order by p.id ${isOlder ? sql`asc` : sql`desc`} limit 1) as last,
      array(${idsAmong(search, look, fitting)}) as ids`)
  const { count, last, ids } = row!
  return { count, last, fitting: ids.length, ids: await wantedOf(trx, search, { ...look, ids }) }
}

/** How many of the next documents have what each condition names. */
export async function countEach(trx: Queryable, search: Search, look: Look & { readonly size: number }) {
  const counts = search.conditions.map((condition) => sql`count(*) filter (where ${names(condition)})::int`)
  const [row] = await trx.query<{ counts: number[] }>(sql`
    select array[${join(counts, ', ')}] as counts from (select d.words from ${documentsOf(search, look)} limit ${look.size}) d`)
  return row!.counts
}

/** By the first of the ways that leads to no more than `max`; null: each leads to more. */
export async function findByWays(
  trx: Queryable,
  search: Search,
  look: Look & { readonly max: number },
): Promise<string[] | null> {
  for (const way of search.ways ?? []) {
    const few = await findAmongFew(trx, search, { ...look, way })
    if (few) return few
  }
  return null
}

/** Null: they are many. `is true`: the documents are asked, the nearest first, and never the index. */
async function findAmongFew(
  trx: Queryable,
  search: Search,
  { way, max, ...look }: Look & { readonly way: Sql; readonly max: number },
): Promise<string[] | null> {
  const { source, team, conditions } = search
  const { range, isOlder } = look
  const [row] = await trx.query<{ ids: string[] }>(sql`
    select array(select one.id::text from (${way}) one limit ${raw(String(max + 1))}) as ids`)
  if (row!.ids.length > max) return null
  const few = [...new Set(row!.ids)].filter((id) => range.from <= id && id < range.to).sort()
  const found: string[] = []
  for (const piece of growingPieces(isOlder ? few.reverse() : few)) {
    const missing = { ...look, amount: look.amount - found.length }
    const fitting = sql`
      select d.id from ${tableOf(source)} d where ${isOf(source, team)} and d.id = any (${piece}::uuid[])
        and ${fits(conditions)} is true order by d.id ${orderOf(look)}`
    const [some] = await trx.query<{ ids: string[] }>(sql`select array(${idsAmong(search, missing, fitting)}) as ids`)
    found.push(...(await wantedOf(trx, search, { ...missing, ids: some!.ids })))
    if (found.length >= look.amount) break
  }
  return found
}

/** What the index has answered. */
export interface Answer {
  /** How many candidates, or one more than there may be. */
  readonly size: number
  /** In how many of the pieces that were asked all candidates are known. */
  readonly done: number
  /** The first ones in these that fit. */
  readonly ids: readonly string[]
}

interface Asked extends Look {
  /** Pieces of the range, in the order of the list. */
  readonly pieces: readonly IdRange[]
  readonly question: Question
  readonly marks: readonly string[]
}

/**
 * What the index answers, about pieces of time one after the other, or about slices by their marks. Time is a question of its own: between two questions the index
 * skips in either's list to where the other goes on.
 */
export async function candidates(trx: Queryable, search: Search, look: Asked): Promise<Answer> {
  const { range, pieces } = look
  const known = sql`select own.id from own where own.position < (select cut from ends) order by own.id ${orderOf(look)}`
  const [row] = await trx.query<{ size: number; cut: number; ids: string[] }>(sql`
    with met as materialized (${metBy(search, look)} limit ${raw(String(MAX_CANDIDATES + 1))}),
    ends as (
      select case when count(*) > ${raw(String(MAX_CANDIDATES))} then max(met.position) else ${pieces.length}::int end as cut, count(*)::int as size from met),
    own as (
      select met.id, met.position from met where met.fits and met.id >= ${range.from} and met.id < ${range.to})
    select (select size from ends) as size, (select cut from ends) as cut, array(${idsAmong(search, look, known)}) as ids`)
  const { size, cut, ids } = row!
  return { size, done: cut, ids: await wantedOf(trx, search, { ...look, ids }) }
}

/**
 * Candidates, each with the position of its piece. Documents with partitions are asked for piece by piece, so that what is nearest is met first; and whole weeks, since what
 * is left of one would be asked of each of its candidates, however many they are.
 */
function metBy({ source, team }: Search, { pieces, question, marks }: Asked): Sql {
  // By itself, what is only left out would be looked for in the documents of all teams.
  const some = marks.length > 0 || question.isOwn ? marks : [everyOf({ team, kind: source.kind })]
  const marked = some.length === 0 ? sql`` : sql`d.words @@ ${some.map(quoted).join(' | ')}::tsquery and`
  const asked = marks.length === 0 ? question.asked : question.askedOfSlices
  const inPiece = (piece: IdRange, position: number) => {
    const { from, to } = weeksWith(piece)
    const bounds = source.documents === undefined ? sql`` : sql`d.id >= ${from} and d.id < ${to} and`
    return sql`
      select d.id, ${isOf(source, team)} and ${question.besides} as fits, ${raw(String(position))} as position
      from ${tableOf(source)} d where ${bounds} ${marked} ${asked}`
  }
  return join(pieces.map(inPiece), ' union all ')
}

/** The part of a range that has documents. */
export async function surroundings(trx: Queryable, { source, team }: Search, { from, to }: IdRange): Promise<IdRange> {
  const end = (order: Sql) => sql`(
    select d.id from ${tableOf(source)} d where ${isOf(source, team)} and d.id >= ${from} and d.id < ${to}
    order by d.id ${order} limit 1)`
  const [row] = await trx.query<{ first: string | null; last: string | null }>(
    sql`select ${end(sql`asc`)} as first, ${end(sql`desc`)} as last`,
  )
  const { first, last } = row!
  return first === null || last === null ? { from, to: from } : { from: first, to: behind(last) }
}
