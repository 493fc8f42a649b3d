import Type, { type Static, type TLiteral, type TObject, type TProperties, type TSchema } from 'typebox'
import { MAX_SEARCH_LENGTH, type SearchOperator } from '../../mail/search-query.ts'

// Shapes that many resources share. Resources' `schema.ts` files are made of these and run in the browser too.

const EXAMPLE_ID = '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f'

export const Id = Type.String({ format: 'uuid', examples: [EXAMPLE_ID] })

const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

/** `msg_01932b5c-…`. Callers may leave the prefix away: what counts is behind it. */
export const prefixedId = (prefix: string) =>
  Type.String({
    pattern: `^(?:${prefix})?${UUID}$`,
    description: `\`${prefix}\` and a UUID`,
    examples: [`${prefix}${EXAMPLE_ID}`],
  })

export const withoutPrefix = (prefix: string, id: string) => (id.startsWith(prefix) ? id.slice(prefix.length) : id)

/** Written by the database's wire_time(), see `columnsOf`. */
/** As the wire has it: PostgreSQL's text, always with a fraction. */
export const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,6}\+00$/

export const Timestamp = Type.String({ format: 'timestamp', examples: ['2026-11-15 01:20:30.123456+00'] })

/** `2026-11-15T01:20:30.123Z`, as some resources have it. Written by the database's iso_time(), see `columnsOf`. */
const DATE = '[1-9]\\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])'
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?'
const ZONE = '(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)'

/** A moment in a request, in any form of RFC 3339. What we answer has one form, `IsoTimestamp`. */
export const givenMoment = (description: string) =>
  Type.String({
    pattern: `^${DATE}T${TIME}${ZONE}$`,
    description,
    examples: ['2026-01-31T12:00:00Z'],
    'x-expected': 'a time like `2026-01-31T12:00:00Z`',
  })

export const IsoTimestamp = Type.String({ format: 'date-time', examples: ['2026-11-15T01:20:30.123Z'] })

export const Email = Type.String({ format: 'email', examples: ['ada@example.com'] })

/** In a query: an address, or a part of one. What cannot be decoded is left with its percent signs, and is neither. */
export const AddressPart = Type.String({
  maxLength: 320,
  pattern: '^[^\\s%]+$',
  description: 'An address, or a part of one: pieces between dots and dashes, by how they begin.',
  examples: ['ada@example.com', '@example.com'],
})

/** The parameter `q` of a list that knows these operators. */
export const searchText = (operators: readonly SearchOperator[], words: string) =>
  Type.String({
    maxLength: MAX_SEARCH_LENGTH,
    description: `Search: ${words}; all of it must match. "Phrases" in quotes, \`-\` in front of what must not match, and the operators ${operators
      .map((name) => `\`${name}:\``)
      .join(', ')}.`,
    examples: ['invoice -draft'],
  })

export const nullable = <const Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** One of some words. */
export const oneOf = <const Choice extends string>(choices: readonly Choice[]) =>
  Type.Unsafe<Choice>({ type: 'string', enum: choices })

/** A field that callers may leave out and endpoints always find. */
export const withDefault = <Schema extends TSchema>(
  schema: Schema,
  value: NoInfer<Static<Schema>>,
): Schema & Defaulted => Object.assign(schema, { default: value })

/** That there is a default is part of the type: it is optional for those who call, and not for the endpoint. */
export interface Defaulted {
  readonly default: unknown
}

/** Marks a field whose value is never written to a log. */
export const SECRET = { 'x-secret': true } as const

/** Marks a field that is too large for a log, and is kept elsewhere. */
export const BULKY = { 'x-bulky': true } as const

/** Marks a field that is the content of a file, in one of the forms in which clients send it. It reaches the endpoint as base64. */
export const BYTES = { 'x-bytes': true } as const

/**
 * Marks a field whose empty text is the same as `null`: forms and adapters send `""` for what nobody filled in. Never a field that
 * says when something happens or narrows who may or gets something: there, an empty text is somebody's mistake.
 */
export const ABSENT_IF_EMPTY = { 'x-absent-if-empty': true } as const

/** Marks a field of which `null` and `[]` both take away what was there. Elsewhere an empty list means absent. */
export const CLEARABLE = { 'x-clearable': true } as const

/**
 * Marks an object that narrows what may be done: it is taken as it is given. Elsewhere an empty list means absent, and absent means here that
 * everything is allowed.
 */
export const EXACT = { 'x-exact': true } as const

/** Marks a field with the words in which clients know its refusal, whatever is wrong with it. Given twice, for instance. */
export const refusedWith = (message: string) => ({ 'x-refusal': message })

export const IdParams = Type.Object({ id: Id })

/** What creating or changing something answers: `{"object":"topic","id":"…"}`. */
export const referenceTo = <const Name extends string>(object: Name) =>
  Type.Object({ object: Type.Literal(object), id: Id })

export const deletedOf = <const Name extends string>(object: Name) =>
  Type.Object({ object: Type.Literal(object), id: Id, deleted: Type.Literal(true) })

/** The retrieved object: an item of its list with `object` in front. */
export const objectOf = <const Name extends string, Fields extends TProperties>(object: Name, item: TObject<Fields>) =>
  Type.Object({ object: Type.Literal(object), ...item.properties } as { object: TLiteral<Name> } & Fields)

export const listOf = <Item extends TSchema>(item: Item) =>
  Type.Object({ object: Type.Literal('list'), has_more: Type.Boolean(), data: Type.Array(item) })

// The values of the three shapes above.
export const reference = <const Name extends string>(object: Name, id: string) => ({ object, id })
export const deletion = <const Name extends string>(object: Name, id: string) => ({
  object,
  id,
  deleted: true as const,
})
export const present = <const Name extends string, Item extends object>(object: Name, item: Item) => ({
  object,
  ...item,
})
