import { isAddress } from '../address.ts'
import { cleanLine } from './clean-text.ts'
import { decodeWords } from './encoded-words.ts'
import { type Entry, MailboxReader, newEntry, type Word } from './mailbox-reader.ts'

/** One of a list of addresses as it was written. Without an address it is a name only, which real mail has too. */
interface WrittenMailbox {
  readonly name: string
  readonly address: string
}

const MUST_BE_QUOTED = /[()<>[\]:;@\\,"]/

/** The addresses of a field (RFC 5322, 3.4) as text, the members of groups among them. Whatever is no address is passed over. */
export function readAddresses(value: string): string[] {
  return readMailboxes(value).flatMap((mailbox) => (mailbox.address === '' ? [] : [asText(mailbox)]))
}

/** The first one, which is who wrote the message; when there is no address, what stands in its place. */
export function readAuthor(value: string): string {
  const mailboxes = readMailboxes(value)
  const author = mailboxes.find(({ address }) => address !== '') ?? mailboxes[0]
  return author ? asText(author) : ''
}

/** The name in quotes where it needs them. */
export function asText({ name, address }: WrittenMailbox): string {
  if (address === '' || name === '' || name === address) return address || name
  return MUST_BE_QUOTED.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>` : `${name} <${address}>`
}

function readMailboxes(value: string, isDecoded = false): WrittenMailbox[] {
  const mailboxes: WrittenMailbox[] = []
  const reader = new MailboxReader(value)
  while (!reader.isAtEnd())
    for (const entry of separated(reader.next()))
      for (const mailbox of mailboxOf(entry, isDecoded)) mailboxes.push(mailbox)
  return mailboxes
}

/** Each address with the words in front of it. Words behind the last one are its name, when it has no other. */
function separated(entries: readonly Entry[]): Entry[] {
  const each = entries.flatMap((entry) => (entry.angle === null ? bareAddresses(entry) : [entry]))
  const last = each.at(-1)!
  const before = each.at(-2)
  if (!before || last.angle !== null || last.words.some(({ hasAt }) => hasAt)) return each
  if (before.words.every(({ hasAt }) => hasAt)) before.words = before.words.concat(last.words)
  if (before.comment === '') before.comment = last.comment
  return each.slice(0, -1)
}

// Only with a dot in its domain: `Team @ Acme` is a name.
const WHOLE_ADDRESS = /^[^@"]+@[^@"]+\.[^@".]+$/

/** `ada@example.com bob@example.com` are two. */
function bareAddresses(entry: Entry): Entry[] {
  const isWhole = ({ source, hasAt }: Word) => hasAt && WHOLE_ADDRESS.test(source)
  if (entry.words.filter(isWhole).length < 2) return [entry]
  const entries = [newEntry()]
  for (const [i, word] of entry.words.entries()) {
    if (i > 0 && isWhole(entry.words[i - 1]!)) entries.push(newEntry())
    entries.at(-1)!.words.push(word)
  }
  return entries
}

/** None when nothing was there, several when one word hid a list. */
function mailboxOf({ words: written, comment, angle }: Entry, isDecoded: boolean): WrittenMailbox[] {
  const words = [...written]
  const address = bareAddress(angle ?? takeAddress(words))
  const text = words.map(({ text }) => text).join(' ')
  const name = cleanLine(decodeWords(text))
  // `=?utf-8?q?Ada_<ada=40example.com>?=`: all of it in one word, which no standard allows.
  if (address === '' && !isDecoded && name !== text && name.includes('@')) return readMailboxes(name, true)
  const named = name || cleanLine(decodeWords(comment))
  return address === '' && named === '' ? [] : [{ name: named, address }]
}

/** The word with the `@`, with what belongs to it when there is white space around the `@`; or the only word. */
function takeAddress(words: Word[]): string {
  const at = words.findLastIndex(({ hasAt }) => hasAt)
  if (at < 0) return words.length === 1 && !words[0]!.text.includes('=?') ? words.splice(0, 1)[0]!.source : ''
  const from = words[at]!.source.startsWith('@') && at > 0 ? at - 1 : at
  const to = words[at]!.source.endsWith('@') ? at + 1 : at
  return words
    .splice(from, to - from + 1)
    .map(({ source }) => source)
    .join('')
}

/** Quotes are for what could not be written without; what we can write to needs none (`address.ts`). */
function bareAddress(address: string): string {
  const line = cleanLine(address)
  if (!line.includes('"')) return line.replace(/\s+/g, '')
  const plain = line.replace(/^"([^"\\]*)"(?=@)/, '$1')
  return isAddress(plain) ? plain : line
}
