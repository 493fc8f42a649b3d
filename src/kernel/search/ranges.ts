import { firstIdAt, momentOf } from '../../platform/ids.ts'
import { type Scope, sliceOf } from './lexemes.ts'

/** Ids from one up to another, which is not part of it. */
export interface IdRange {
  readonly from: string
  readonly to: string
}

export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
/** Behind every id of ours: they are of version 7. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Ids as text are in their order. */
export const sooner = (one: string, other: string) => (one < other ? one : other)
export const later = (one: string, other: string) => (one > other ? one : other)

/** The next id that there can be. */
export function behind(id: string): string {
  const next = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0').slice(-32)
  return next.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** A range in slices of time, the nearest first. */
export function* piecesOf(
  scope: Scope,
  { from, to }: IdRange,
  { slice, isOlder }: { readonly slice: number; readonly isOlder: boolean },
): Generator<{ readonly range: IdRange; readonly mark: string }> {
  if (from >= to) return
  const length = 2 ** slice
  const [first, last] = [from, to].map((id) => Math.floor(momentOf(id).getTime() / length)) as [number, number]
  const idAt = (number: number) => firstIdAt(new Date(number * length))
  for (let at = 0; at <= last - first; at++) {
    const number = isOlder ? last - at : first + at
    const range = { from: later(from, idAt(number)), to: sooner(to, idAt(number + 1)) }
    if (range.from < range.to) yield { range, mark: sliceOf(scope, slice, number * length) }
  }
}
