import { eachOnce } from '../../../../../src/mail/answer.ts'
import { personOf } from '../people.ts'

// People of a mail as they are written: `ada@example.com` or `Ada Lovelace <ada@example.com>`.

/** What stands between the pieces of a list, unless it is inside of quotes or angle brackets. */
export function splitMailboxes(text: string): string[] {
  const pieces: string[] = []
  let piece = ''
  let isQuoted = false
  let isBare = true
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted
    if (!isQuoted && character === '<') isBare = false
    if (!isQuoted && isBare && /[,;\n\t]/.test(character)) {
      pieces.push(piece)
      piece = ''
      continue
    }
    if (character === '>') isBare = true
    piece += character
  }
  return [...pieces, piece].map((one) => one.trim()).filter((one) => one !== '')
}

/** The bare address, whatever stands around it. */
export const addressIn = (mailbox: string) => personOf(mailbox).address

/** Who it is, for people: the name, or else the address. */
export function nameIn(mailbox: string): string {
  const { name, address } = personOf(mailbox)
  return name || address
}

/** The same mailbox has one key, however its address is written. */
export const mailboxKey = (mailbox: string) => addressIn(mailbox).toLowerCase()

// Only what nobody has: the service looks closer, and knows what it sends to.
const ADDRESS =
  /^[^\s@<>()[\]\\,;:"]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{N}-]{2,}$/u

export const isMailbox = (text: string) => text.length < 998 && ADDRESS.test(addressIn(text))

/** Each once, in their order, and none of those that are there already. */
export const withoutRepeated = (mailboxes: readonly string[], present: readonly string[] = []): string[] =>
  eachOnce(mailboxes, mailboxKey, present)
