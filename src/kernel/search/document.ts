import { roughText } from '../../mail/rough-text.ts'
import { eachWord, fold, hasWord } from '../../mail/words.ts'
import { addressOf, everyOf, type Field, propertyOf, quoted, type Scope, slicesOf, wordOf } from './lexemes.ts'

/** What an item is found by. */
export interface SearchDocument {
  readonly id: string
  readonly texts: Partial<Readonly<Record<Field, readonly (string | null | undefined)[]>>>
  /** Addresses, or `Name <address>`, of these fields. */
  readonly addresses?: Partial<Readonly<Record<Field, readonly string[]>>>
  readonly status?: readonly string[]
  readonly tags?: readonly { readonly name: string; readonly value: string }[]
  readonly hasAttachment?: boolean
}

/** Of one item. A mail of 100 recipients has 500 different words in its addresses, and a page of text 300. */
export const MAX_DOCUMENT_WORDS = 1_000
/** How much of the text of a message is searched. */
export const MAX_SEARCHED_TEXT_LENGTH = 20_000
/** Of html that has no text beside it: a fifth of it is text, or less. */
export const MAX_SEARCHED_HTML_LENGTH = 100_000
const MAX_ADDRESSES = 200
const MAX_ADDRESS_LENGTH = 320
/** PostgreSQL has room for no more in a vector. What stands further behind is found by its words, and not as a phrase. */
const MAX_POSITION = 16_383
const MAX_POSITIONS = 255

/** The text of a message that is searched. */
export const searchedText = ({ text, html }: { readonly text: string | null; readonly html: string | null }) =>
  (text?.trim() ? text : roughText(html ?? '')).slice(0, MAX_SEARCHED_TEXT_LENGTH)

/** The vector of a document, as text. */
export function vectorOf(scope: Scope, document: SearchDocument): string {
  const { id, texts, addresses = {}, status = [], tags = [], hasAttachment = false } = document
  const vector = new Vector(scope)
  for (const lexeme of [everyOf(scope), ...slicesOf(scope, id)]) vector.mark(lexeme)
  for (const one of status) vector.mark(propertyOf(scope, 'status', one))
  for (const { name, value } of tags)
    for (const tag of [name, `${name}=${value}`]) vector.mark(propertyOf(scope, 'tag', tag))
  if (hasAttachment) vector.mark(propertyOf(scope, 'has', 'attachment'))
  for (const [field, some] of Object.entries(addresses) as [Field, readonly string[]][])
    for (const mailbox of some.slice(0, MAX_ADDRESSES)) vector.addMailbox(field, mailbox)
  for (const [field, some] of Object.entries(texts) as [Field, readonly (string | null | undefined)[]][])
    for (const text of some) if (text) vector.addText(field, text)
  return vector.toString()
}

/** The address of `Name <address>`, as it is compared. */
export const comparable = (mailbox: string) =>
  fold((/<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox).trim()).slice(0, MAX_ADDRESS_LENGTH)

/** Words with their positions, and what has none. */
class Vector {
  readonly #scope: Scope
  readonly #positions = new Map<string, number[]>()
  #position = 0

  constructor(scope: Scope) {
    this.#scope = scope
  }

  mark(lexeme: string) {
    if (!this.#positions.has(lexeme)) this.#positions.set(lexeme, [])
  }

  addMailbox(field: Field, mailbox: string) {
    const address = comparable(mailbox)
    if (hasWord(address)) this.mark(addressOf(this.#scope, field, address))
    this.addText(field, mailbox)
  }

  /** A piece of the item: phrases do not go from one into the next. */
  addText(field: Field, text: string) {
    eachWord(text, ({ word }) => {
      this.#position += 1
      this.#put(wordOf(this.#scope, field, word))
      return this.#positions.size < MAX_DOCUMENT_WORDS
    })
    this.#position += 1
  }

  #put(lexeme: string) {
    const isRoom = this.#position <= MAX_POSITION
    const positions = this.#positions.get(lexeme)
    if (!positions) this.#positions.set(lexeme, isRoom ? [this.#position] : [])
    else if (isRoom && positions.length < MAX_POSITIONS) positions.push(this.#position)
  }

  toString() {
    return Array.from(this.#positions, ([lexeme, positions]) =>
      positions.length > 0 ? `${quoted(lexeme)}:${positions.join(',')}` : quoted(lexeme),
    ).join(' ')
  }
}
