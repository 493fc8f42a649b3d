import { momentOf } from '../../platform/ids.ts'

// What is in the vector of a document. Each lexeme begins with the team, the kind and the field that it is of: a search goes through the lists of
// its own items in the index, and never through those of others. Words are folded (`src/mail/words.ts`).

/** The kinds of items that have documents, with the letter that is in their lexemes. */
export const KINDS = {
  email: 'e',
  received: 'r',
  message: 'm',
  log: 'l',
  contact: 'c',
  template: 't',
  broadcast: 'b',
  suppression: 'x',
} as const
export type Kind = keyof typeof KINDS

/** The fields of documents whose words are searched, and their letters. */
export const FIELDS = { subject: 's', from: 'f', to: 't', text: 'b', name: 'n', about: 'a' } as const
export type Field = keyof typeof FIELDS

/** Whose documents. */
export interface Scope {
  readonly team: string
  readonly kind: Kind
}

/** The random end of the team's id. Where two teams share it nothing is lost but time: statements name the team itself, too. */
const prefixOf = ({ team, kind }: Scope) => team.slice(-6) + KINDS[kind]

export const wordOf = (scope: Scope, field: Field, word: string) => `${prefixOf(scope)}${FIELDS[field]}${word}`

/** A whole address, beside its words. */
export const addressOf = (scope: Scope, field: Field, address: string) =>
  `${prefixOf(scope)}${FIELDS[field].toUpperCase()}${address}`

/** What an item has or is, which no text can say: a status, a tag, attachments. */
export const propertyOf = (scope: Scope, name: 'status' | 'tag' | 'has', value: string) =>
  `${prefixOf(scope)}0${name}:${value}`

/** Every document of the scope has it. */
export const everyOf = (scope: Scope) => `${prefixOf(scope)}1`

/**
 * How long slices of time are, as powers of two of milliseconds: 99 days, 6 days, 9 hours, 35 minutes. Each document is in one of
 * each, so that a search can go through a time by itself, however many documents there are before and after it. Shorter ones would be in the
 * index once for each email of a quiet team.
 */
export const SLICES = [33, 29, 25, 21] as const

/** The slice that a moment is in. */
export const sliceOf = (scope: Scope, slice: number, ms: number) =>
  `${prefixOf(scope)}2${slice.toString(36)}${Math.floor(ms / 2 ** slice).toString(36)}`

export const slicesOf = (scope: Scope, id: string) =>
  SLICES.map((slice) => sliceOf(scope, slice, momentOf(id).getTime()))

/** As PostgreSQL reads a lexeme in a text that is a vector or a query. */
export const quoted = (lexeme: string) => `'${lexeme.replace(/['\\]/g, '$&$&')}'`
