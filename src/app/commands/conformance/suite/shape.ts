// Shapes of answers, as the contract says them: nothing of the service that is tried is in here.

export interface Mismatch {
  /** Where in the answer: `data[0].id`. */
  readonly path: string
  readonly expected: string
  readonly actual: string
}

/** One value. `find` says what is wrong with it. */
export class Check {
  readonly name: string
  readonly isOptional: boolean
  readonly #find: (value: unknown, path: string) => Mismatch[]

  constructor(name: string, find: (value: unknown, path: string) => Mismatch[], isOptional = false) {
    this.name = name
    this.#find = find
    this.isOptional = isOptional
  }

  find(value: unknown, path: string): Mismatch[] {
    return this.#find(value, path)
  }
}

/** Fields that are not named may be there: the contract grows. */
export interface Fields {
  readonly [name: string]: Shape
}
export type Shape = Check | Fields

const MAX_SHOWN = 120

/** A value of the other side, short enough for a line. */
export function brief(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value))
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

export function mismatches(value: unknown, shape: Shape, path = ''): Mismatch[] {
  if (shape instanceof Check) return shape.find(value, path)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ path, expected: 'an object', actual: brief(value) }]
  return Object.entries(shape).flatMap(([name, inner]) => {
    const found = (value as Record<string, unknown>)[name]
    if (found === undefined && inner instanceof Check && inner.isOptional) return []
    return mismatches(found, inner, path === '' ? name : `${path}.${name}`)
  })
}

const leaf = (name: string, test: (value: unknown) => boolean) =>
  new Check(name, (value, path) => (test(value) ? [] : [{ path, expected: name, actual: brief(value) }]))

const matching = (name: string, pattern: RegExp) =>
  leaf(name, (value) => typeof value === 'string' && pattern.test(value))

export const string = leaf('a string', (value) => typeof value === 'string')
export const boolean = leaf('a boolean', (value) => typeof value === 'boolean')
export const number = leaf('a number', (value) => typeof value === 'number')
export const count = leaf('a whole number', (value) => Number.isInteger(value) && (value as number) >= 0)
export const anything = leaf('a value', (value) => value !== undefined)
export const object = leaf('an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value))
export const uuid = matching('a UUID', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
/** As PostgreSQL writes it. */
export const timestamp = matching(
  'a time as `2023-04-08 00:11:13.110779+00`',
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/,
)
export const iso = matching(
  'a time as `2023-10-06T23:47:56.678Z`',
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|\+00:00)$/,
)
/** Where the sources of the contract have both. */
export const moment = matching('a time', /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|\+00(:00)?)$/)
export const url = matching('an http URL', /^https?:\/\/\S+$/)
export const apiKey = matching('a key that begins with `re_`', /^re_\S+$/)
export const signingSecret = matching('`whsec_` and base64', /^whsec_[A-Za-z0-9+/]+={0,2}$/)
export const eventId = matching('`msg_` and letters', /^msg_\S+$/)
export const attemptId = matching('`atmpt_` and letters', /^atmpt_\S+$/)
export const color = matching('`#RRGGBB`', /^#[0-9a-f]{6}$/i)

export const is = (wanted: string | number | boolean | null) => leaf(brief(wanted), (value) => value === wanted)

export const oneOf = (...wanted: readonly string[]) =>
  leaf(`one of ${wanted.join(', ')}`, (value) => typeof value === 'string' && wanted.includes(value))

/** JSON that says the same, whatever the order of its fields. */
export const same = (wanted: unknown) => leaf(brief(wanted), (value) => canonical(value) === canonical(wanted))

export const listing = (shape: Shape) =>
  new Check('a list', (value, path) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => mismatches(item, shape, `${path}[${index}]`)).slice(0, 3)
      : [{ path, expected: 'a list', actual: brief(value) }],
  )

export const nullable = (shape: Shape) =>
  new Check('null, or a value', (value, path) => (value === null ? [] : mismatches(value, shape, path)))

/** May be left out. */
export const optional = (shape: Shape) => new Check('a value', (value, path) => mismatches(value, shape, path), true)

/** Must not be there. */
export const absent = new Check(
  'nothing',
  (value, path) => (value === undefined ? [] : [{ path, expected: 'nothing', actual: brief(value) }]),
  true,
)

function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

/** The envelope of a list. */
export const listOf = (item: Shape): Fields => ({ object: is('list'), has_more: boolean, data: listing(item) })
