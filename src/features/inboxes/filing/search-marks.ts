import { momentOf } from '../../../platform/ids.ts'

// What is in the vector of a message. Words and people are those of an inbox: each inbox has lists of its own in the index, and a search
// never goes through what others have. Besides there are marks, which begin with a digit and a colon, as no word does.

/** The lists of people that can be searched, and the letter under which their marks are. */
export const ROLES = { from: 'f', to: 't', cc: 'c', bcc: 'b' } as const
export type Role = keyof typeof ROLES

/**
 * How long the slices of time are, as powers of two of milliseconds: 16 s, 4 min, 70 min, 19 h, 12 days, half a year. Each message is in
 * one of each, so that any time can be named by a handful of them, however much mail there is in it.
 */
export const SLICES = [14, 18, 22, 26, 30, 34] as const
export type Slice = (typeof SLICES)[number]

/** The random end of the id. Where two inboxes share it nothing is lost but time: statements name the inbox itself, too. */
const shortOf = (inbox: string) => inbox.slice(-8)

/** A word, as the index has it. */
export const wordOf = (inbox: string, word: string) => `${inbox.slice(-5)}:${word}`

export const inboxMark = (inbox: string) => `0:${shortOf(inbox)}`

/** `ms` is any moment in the slice. */
export const timeMark = (inbox: string, slice: Slice, ms: number) =>
  `1:${shortOf(inbox)}:${slice.toString(36)}${Math.floor(ms / 2 ** slice).toString(36)}`

export const personMark = (inbox: string, role: Role, address: string) =>
  `4:${shortOf(inbox)}:${ROLES[role]}:${address}`

export const attachmentMark = (inbox: string) => `5:${shortOf(inbox)}`

/** The time that is in an id. */
export const timeOf = (id: string) => momentOf(id).getTime()

/** As PostgreSQL reads a word in a text that is a vector or a query. */
export const quoted = (lexeme: string) => `'${lexeme.replace(/['\\]/g, '$&$&')}'`
