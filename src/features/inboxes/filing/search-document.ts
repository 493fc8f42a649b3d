import { type Sql, sql } from '../../../kernel/db/sql.ts'
import { eachWord } from '../../../mail/words.ts'
import type { FiledMessage } from './message.ts'
import { peopleByRole } from './people.ts'
import { attachmentMark, inboxMark, personMark, quoted, SLICES, timeMark, timeOf, wordOf } from './search-marks.ts'

// A vector has room for positions up to 16,383, and for 1 MB. What is beyond these bounds of ours is found by its words as long as there is
// room, and not as a phrase. A novel of 100 kB has 5,000 different words; each is an entry of an index, written while the inbox is locked.
const LAST_POSITION = 16_383
const MOST_POSITIONS = 255
const MOST_WORDS = 10_000
const MOST_PEOPLE_MARKS = 500

export type SearchedMessage = Pick<
  FiledMessage,
  'id' | 'inbox' | 'from' | 'to' | 'cc' | 'bcc' | 'subject' | 'attachments' | 'text'
>

/** The vector by which a message is found: its words where they stand, and marks. */
export const searchDocument = (message: SearchedMessage): Sql => sql`${searchText(message)}::tsvector`

/** The same as text, for statements that write many. */
export function searchText(message: SearchedMessage): string {
  const words = new Words(message.inbox)
  words.add(message.subject ?? '')
  for (const [role, people] of peopleByRole(message))
    for (const { address, name } of people) {
      words.mark(personMark(message.inbox, role, address), MOST_PEOPLE_MARKS)
      words.add(address)
      words.add(name ?? '')
    }
  for (const { filename } of message.attachments) words.add(filename ?? '')
  words.add(message.text)
  return `${marksOf(message).map(quoted).join(' ')} ${words}`
}

function marksOf({ id, inbox, attachments }: SearchedMessage): string[] {
  const slices = SLICES.map((slice) => timeMark(inbox, slice, timeOf(id)))
  return [inboxMark(inbox), ...slices, ...(attachments.length > 0 ? [attachmentMark(inbox)] : [])]
}

/** Words and where they stand, and marks, which stand nowhere. */
class Words {
  readonly #positions = new Map<string, number[]>()
  readonly #marks = new Set<string>()
  readonly #inbox: string
  #position = 0

  constructor(inbox: string) {
    this.#inbox = inbox
  }

  /** A piece of the message. Phrases do not go from one into the next. */
  add(text: string) {
    let before = ''
    eachWord(text, ({ word, isCharacter }) => {
      this.#position += 1
      this.#put(word)
      if (isCharacter && before !== '') this.#pair(before + word)
      before = isCharacter ? word : ''
      return this.#positions.size < MOST_WORDS
    })
    this.#position += 1
  }

  mark(mark: string, most: number) {
    if (this.#marks.size < most) this.#marks.add(mark)
  }

  #put(word: string) {
    const positions = this.#positions.get(word)
    if (!positions) this.#positions.set(word, this.#position <= LAST_POSITION ? [this.#position] : [])
    else if (this.#position <= LAST_POSITION && positions.length < MOST_POSITIONS) positions.push(this.#position)
  }

  /** Two characters that are words of their own: single ones are in nearly every text, and pairs in few. */
  #pair(pair: string) {
    if (!this.#positions.has(pair)) this.#positions.set(pair, [])
  }

  toString() {
    const words = [...this.#positions].map(([word, positions]) =>
      [quoted(wordOf(this.#inbox, word)), ...(positions.length > 0 ? [positions.join(',')] : [])].join(':'),
    )
    return [...[...this.#marks].map(quoted), ...words].join(' ')
  }
}
