import type { Difference } from './exchange.ts'
import {
  isFreeField,
  isIdField,
  isSameProgress,
  isSameSchedule,
  isShapeOnly,
  isUuid,
  ruleOf,
  timeFormatOf,
} from './fields.ts'
import { alignLists, type Item, isFullyPaired, isItemList } from './lists.ts'
import { shortened, shortenedTexts } from './shorten.ts'

/** What is known of the upstream's objects. */
export interface KnownIds {
  /** Our id for one of the upstream; undefined: nothing is known about it. */
  ourIdOf(theirs: string): string | undefined
  /** Whether the upstream may have made them in either order, since the calls that made them overlapped. */
  mayBeInAnyOrder(theirs: string, other: string): boolean
}

export interface Comparison {
  readonly differences: Difference[]
  /** Fields that only our side answers. Clients ignore them. */
  readonly extras: string[]
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Compares two answers: ids by what is known of them, times by their format, what each side makes for itself not at all. */
export function compareBodies(
  theirs: unknown,
  ours: unknown,
  context: { operation: string; ids: KnownIds },
): Comparison {
  const comparer = new Comparer(context.operation, context.ids)
  comparer.compare(theirs, ours, { path: '', name: '' })
  return { differences: comparer.differences, extras: [...comparer.extras] }
}

interface Position {
  readonly path: string
  /** Of the field that the value is of. */
  readonly name: string
}

/** A report of more than this says nothing that the first ones do not say. */
const MAX_DIFFERENCES = 20
const MAX_PATH_CHARACTERS = 120

class Comparer {
  readonly differences: Difference[] = []
  readonly extras = new Set<string>()
  readonly #operation: string
  readonly #ids: KnownIds
  readonly #isShapeOnly: boolean

  constructor(operation: string, ids: KnownIds) {
    this.#operation = operation
    this.#ids = ids
    this.#isShapeOnly = isShapeOnly(operation)
  }

  compare(theirs: unknown, ours: unknown, position: Position): void {
    if (isFields(theirs) && isFields(ours)) this.#compareFields(theirs, ours, position)
    else if (Array.isArray(theirs) && Array.isArray(ours)) this.#compareArrays(theirs, ours, position)
    else if (!this.#isShapeOnly || !isSameShape(theirs, ours)) this.#compareValues(theirs, ours, position)
  }

  #add(where: string, shown: { theirs: string; ours: string }) {
    const path = where.slice(0, MAX_PATH_CHARACTERS)
    const isKnown = this.differences.some((difference) => difference.path === path)
    if (!isKnown && this.differences.length < MAX_DIFFERENCES) this.differences.push({ path, ...shown })
  }

  #compareFields(theirs: Fields, ours: Fields, { path, name }: Position) {
    for (const field of Object.keys(theirs)) {
      const own = Object.hasOwn(ours, field) ? ours[field] : undefined
      const inner = path === '' ? field : `${path}.${field}`
      const rule = isFreeField(name) ? 'value' : ruleOf(field, this.#operation)
      if (rule === 'uncompared') continue
      // Of a list that our side knows in part, nothing can be said about what comes behind it.
      if (field === 'has_more' && !isFullyPaired(theirs.data, ours.data, this.#ids)) continue
      // Both mean that there is nothing, and clients read both alike.
      if (theirs[field] === null && !Object.hasOwn(ours, field)) continue
      if (rule === 'opaque') this.#compareOpaque(theirs[field], own, inner)
      else if (rule === 'progress' && isSameProgress(theirs[field], own)) continue
      else this.compare(theirs[field], own, { path: inner, name: isFreeField(name) ? name : field })
    }
    for (const field of Object.keys(ours))
      if (!Object.hasOwn(theirs, field) && ours[field] !== null)
        this.extras.add(path === '' ? field : `${path}.${field}`)
  }

  #compareOpaque(theirs: unknown, ours: unknown, path: string) {
    if (typeof theirs !== typeof ours) this.#add(path, { theirs: typeof theirs, ours: typeof ours })
  }

  #compareArrays(theirs: unknown[], ours: unknown[], { path, name }: Position) {
    const inner = { path: `${path}[]`, name }
    if (this.#isShapeOnly) {
      if (theirs.length > 0 && ours.length > 0) this.compare(theirs[0], ours[0], inner)
      return
    }
    if (isItemList(theirs) && isItemList(ours) && theirs.length + ours.length > 0)
      return this.#compareItems(theirs, ours, inner)
    if (theirs.length !== ours.length)
      return this.#add(path, { theirs: `${theirs.length} values`, ours: `${ours.length} values` })
    theirs.forEach((value, index) => {
      this.compare(value, ours[index], inner)
    })
  }

  /** Objects of the two sides are compared by pairs. What only one side can know is not compared. */
  #compareItems(theirs: Item[], ours: Item[], inner: Position) {
    const { pairs, isOrdered, missing } = alignLists(theirs, ours, this.#ids)
    for (const [their, our] of pairs) this.compare(their, our, inner)
    if (!isOrdered) this.#add(`${inner.path} order`, { theirs: 'another order', ours: 'another order' })
    if (missing > 0) this.#add(inner.path, { theirs: `${theirs.length} items`, ours: `without ${missing} of them` })
  }

  #compareValues(theirs: unknown, ours: unknown, { path, name }: Position) {
    if (theirs === ours) return
    if (isUuid(theirs) && isUuid(ours) && !isFreeField(name)) return this.#compareIds(theirs, ours, { path, name })
    const [theirFormat, ourFormat] = [timeFormatOf(theirs), timeFormatOf(ours)]
    if (theirFormat && ourFormat) {
      if (theirFormat !== ourFormat) this.#add(path, { theirs: theirFormat, ours: ourFormat })
      else if (name === 'scheduled_at' && !isSameSchedule(String(theirs), String(ours)))
        this.#add(path, { theirs: String(theirs), ours: String(ours) })
      return
    }
    if (typeof theirs === 'string' && typeof ours === 'string') return this.#add(path, shortenedTexts(theirs, ours))
    this.#add(path, { theirs: shortened(theirs), ours: shortened(ours) })
  }

  #compareIds(theirs: string, ours: string, { path, name }: Position) {
    const expected = this.#ids.ourIdOf(theirs)
    if (expected === undefined && isIdField(name)) return
    if (expected !== ours) this.#add(path, { theirs, ours: `the id of another object` })
  }
}

const isSameShape = (theirs: unknown, ours: unknown) =>
  theirs === null || ours === null || (typeof theirs === typeof ours && typeof theirs !== 'object')
