import { FIRST_SANDBOX_ID, firstIdAt, isSandbox, momentOf } from '../../platform/ids.ts'
import { idRangesOf } from '../http/id-ranges.ts'
import { boundAt, nextPeriod, periodStart } from '../partitions/tables.ts'
import { type Scope, sliceOf } from './lexemes.ts'
import type { SearchSource } from './source.ts'

/** Ids from one up to another, which is not part of it. */
export interface IdRange {
  readonly from: string
  readonly to: string
}

export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
/** Behind every id of ours: they are of version 7. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The first id of a moment. Request logs have ids in real time, also those of a sandbox. */
export const firstIdIn = ({ team, kind }: Scope, moment: Date): string =>
  kind === 'log' ? firstIdAt(moment) : firstIdAt(moment, team)

/** Ids as text are in their order. */
export const sooner = (one: string, other: string) => (one < other ? one : other)
export const later = (one: string, other: string) => (one > other ? one : other)

/** The next id that there can be. */
export const behind = (id: string) => moved(id, 1n)
/** The one before it. */
export const before = (id: string) => moved(id, -1n)

function moved(id: string, by: bigint): string {
  const number = BigInt.asUintN(128, BigInt(`0x${id.replaceAll('-', '')}`) + by)
  return number
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** What is left of a range when a walk has come to an id. */
export const restBehind = ({ from, to }: IdRange, last: string, isOlder: boolean): IdRange =>
  isOlder ? { from, to: last } : { from: behind(last), to }

/** Where items can be that have partitions: those of sandboxes are in one of their own. */
export const idsOf = ({ team, source }: { readonly team: string; readonly source: SearchSource }): IdRange =>
  source.documents === undefined
    ? { from: FIRST_ID, to: LAST_ID }
    : isSandbox(team)
      ? { from: FIRST_SANDBOX_ID, to: LAST_ID }
      : { from: FIRST_ID, to: FIRST_SANDBOX_ID }

/** What is in both. */
export const overlapOf = (one: IdRange, other: IdRange): IdRange => ({
  from: later(one.from, other.from),
  to: sooner(one.to, other.to),
})

/** The weeks that a range is in, from the first to the last. Sandboxes have none. */
export function weeksWith({ from, to }: IdRange): IdRange {
  if (from >= FIRST_SANDBOX_ID) return { from: FIRST_SANDBOX_ID, to: LAST_ID }
  const start = (id: string) => periodStart('week', momentOf(id))
  return {
    from: from === FIRST_ID ? from : boundAt(start(from)),
    to: to >= FIRST_SANDBOX_ID ? to : boundAt(nextPeriod('week', start(before(to)))),
  }
}

const WEEK_MS = 7 * 86_400_000

/**
 * A range in pieces that begin and end with weeks, from where a list begins: the first one, then one week, two, four and so on, so that they are few. Sandboxes have no weeks.
 */
export function growingWeeks(range: IdRange, { isOlder, now }: { isOlder: boolean; now: Date }): IdRange[] {
  const begin = isOlder ? before(range.to) : range.from
  if (range.from >= FIRST_SANDBOX_ID || begin === FIRST_ID) return [range]
  const first = begin >= FIRST_SANDBOX_ID ? now : new Date(Math.min(momentOf(begin).getTime(), now.getTime()))
  const week = periodStart('week', first).getTime()
  const pieces: IdRange[] = []
  let { from, to } = range
  for (let weeks = 0; ; weeks = 2 * weeks + 1) {
    const moment = isOlder ? week - weeks * WEEK_MS : week + (weeks + 1) * WEEK_MS
    const bound = boundAt(new Date(Math.max(0, moment)))
    if (moment > now.getTime() || bound <= from || bound >= to) return [...pieces, { from, to }]
    pieces.push(isOlder ? { from: bound, to } : { from, to: bound })
    if (isOlder) to = bound
    else from = bound
  }
}

/** A range in the order of a list: first the weeks next to where it begins, then the others. */
export function nearAndFar(team: string, range: IdRange, { isOlder, now }: { isOlder: boolean; now: Date }): IdRange[] {
  const begin = isOlder ? range.to : range.from
  const cursor = begin === FIRST_ID ? null : begin
  return idRangesOf({ periods: { days: 7 } }, { cursor, isNewer: !isOlder, team, now })
    .map(({ from, to }) => overlapOf(range, { from: from ?? FIRST_ID, to: to ?? LAST_ID }))
    .filter(({ from, to }) => from < to)
}

/** Of a first piece: items that are in one partition or two, and some more of them than are on a page. */
const FIRST_PIECE = { ms: 7 * 86_400_000, size: 64 }
const GROWTH = 4

/**
 * Ids in their order, in pieces that are short in time and number at first and grow, so that they are few. Items in partitions are looked up in those
 * of a piece.
 */
export function* growingPieces(ids: readonly string[]): Generator<readonly [string, ...string[]]> {
  let { ms, size } = FIRST_PIECE
  for (let at = 0; at < ids.length; ms *= GROWTH, size *= GROWTH) {
    const first = ids[at]!
    const isFar = (id: string) => Math.abs(momentOf(id).getTime() - momentOf(first).getTime()) > ms
    const some = ids.slice(at, at + size)
    const end = some.findIndex(isFar)
    const piece = end < 0 ? some : some.slice(0, end)
    yield [first, ...piece.slice(1)]
    at += piece.length
  }
}

/** A slice of time, as far as it is in a range, and the lexeme of its documents. */
export interface Piece {
  readonly range: IdRange
  readonly mark: string
}

/** A range in slices of time, the nearest first. */
export function piecesOf(
  scope: Scope,
  { from, to }: IdRange,
  { slice, isOlder }: { readonly slice: number; readonly isOlder: boolean },
): Piece[] {
  if (from >= to) return []
  const length = 2 ** slice
  const [first, last] = numbersOf({ from, to }, slice)
  const idAt = (number: number) => firstIdIn(scope, new Date(number * length))
  return Array.from({ length: last - first + 1 }, (_, at) => {
    const number = isOlder ? last - at : first + at
    const range = { from: later(from, idAt(number)), to: sooner(to, idAt(number + 1)) }
    return { range, mark: sliceOf(scope, slice, number * length) }
  }).filter(({ range }) => range.from < range.to)
}

/** How many slices a range is in. */
export function countPieces(range: IdRange, slice: number): number {
  const [first, last] = numbersOf(range, slice)
  return last - first + 1
}

const numbersOf = ({ from, to }: IdRange, slice: number) =>
  [from, to].map((id) => Math.floor(momentOf(id).getTime() / 2 ** slice)) as [number, number]
