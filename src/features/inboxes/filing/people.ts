import { parseMailbox } from '../../../mail/address.ts'
import { fold } from '../../../mail/words.ts'
import type { FiledMessage } from './message.ts'
import { ROLES, type Role } from './search-marks.ts'

/** Somebody in the header of a message. */
export interface Person {
  /** In lower case: what tells people apart. */
  readonly address: string
  readonly name: string | null
  /** Address and name, as parts of them are looked for. */
  readonly folded: string
}

const MAX_ADDRESS_LENGTH = 254
const MAX_NAME_LENGTH = 200

/** Who a mailbox of a header is. It is untrusted and may be anything: whatever it is, it is somebody. */
export function personOf(mailbox: string): Person | null {
  const parsed = parseMailbox(mailbox)
  const text = mailbox.slice(0, 998)
  const given = parsed?.address ?? /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text
  const address = storable(given.toLowerCase()).slice(0, MAX_ADDRESS_LENGTH)
  if (address === '') return null
  const name = storable(parsed ? (parsed.name ?? '') : text.replace(/<[^<>]*>\s*$/, '')).slice(0, MAX_NAME_LENGTH)
  const isNamed = name !== '' && name.toLowerCase() !== address
  return { address, name: isNamed ? name : null, folded: foldPart(isNamed ? `${address} ${name}` : address) }
}

const MAX_PEOPLE = 1_000

/** Those in the header, in each role. Longer lists than any mail program writes are cut. */
export function peopleByRole(message: Pick<FiledMessage, Role>): [Role, Person[]][] {
  return (Object.keys(ROLES) as Role[]).map((role) => {
    const mailboxes = [message[role]].flat().slice(0, MAX_PEOPLE)
    return [role, mailboxes.map(personOf).filter((person) => person !== null)]
  })
}

/** For `inbox_people`: everybody once. */
export function peopleOf(message: Pick<FiledMessage, Role>): Person[] {
  const people = new Map<string, Person>()
  for (const [, persons] of peopleByRole(message))
    for (const person of persons) {
      const known = people.get(person.address)
      if (!known || (known.name === null && person.name !== null)) people.set(person.address, person)
    }
  return [...people.values()]
}

/** For `inbox_messages.people`: a line for each, with the letter of the role in front. A part that is very frequent is looked for here. */
export function peopleLines(message: Pick<FiledMessage, Role>): string {
  return peopleByRole(message)
    .flatMap(([role, persons]) => persons.map(({ folded }) => `${ROLES[role]}${folded}`))
    .join('\n')
}

/** A part of an address or a name, as it is compared. */
export const foldPart = (text: string) => storable(fold(text))

/** On one line, and without what PostgreSQL cannot store: NUL, and halves of characters. */
const storable = (text: string) => text.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim()
