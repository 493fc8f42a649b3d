import { comparableAddress } from '../../mail/address.ts'
import { roughText } from '../../mail/rough-text.ts'
import type { Direction } from './schema.ts'

/** What is known of a message without its content. */
export interface Head {
  readonly team: string
  readonly id: string
  readonly direction: Direction
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly reply_to: readonly string[]
  /** Of a received one: the recipients for which it was taken. */
  readonly received_for: readonly string[]
  readonly subject: string
  readonly message_id: string
  readonly status: string | null
  readonly tags: readonly { readonly name: string; readonly value: string }[]
  readonly is_read: boolean
  readonly labels: readonly string[]
  readonly created_at: Date
}

/** How the content of a message begins, as far as it is searched. */
export interface Words {
  readonly text: string | null
  readonly html: string | null
}

/** What messages are looked for. */
export interface MessageFilter {
  readonly to?: string | undefined
  readonly from?: string | undefined
  readonly subject?: string | undefined
  readonly text?: string | undefined
  readonly tag?: string | undefined
  readonly direction?: Direction | undefined
  readonly q?: string | undefined
  readonly is_read?: 'true' | 'false' | undefined
}

/** How much there is of a message. */
export interface Extent {
  readonly size: number
  /** All of them, and those that the html shows, which have an id for it. */
  readonly attachments: number
  readonly inline: number
}

/** Says of messages whether they fit. Most can be told by their head, and only of the others somebody has to load the words. */
export interface Matcher {
  /** `words`: what it says decides. */
  byHead(head: Head): boolean | 'words'
  byWords(head: Head, words: Words, extent?: Extent): boolean
  /** Whether there is anything that a message could not fit. */
  readonly isOpen: boolean
  /** Whether words may have to be loaded at all. */
  readonly needsWords: boolean
  /** Whether it may have to be known how large messages are. */
  readonly needsExtents?: boolean
}

/** All of the filter but `q`, which the index decides. */
export function matcherFor(filter: MessageFilter): Matcher {
  const { direction, is_read } = filter
  const [to, from] = [filter.to && addressOf(filter.to), filter.from && addressOf(filter.from)]
  const [subject, text] = [fold(filter.subject ?? ''), fold(filter.text ?? '')]
  const tag = filter.tag || undefined

  const byHead = (head: Head): boolean | 'words' => {
    if (direction !== undefined && head.direction !== direction) return false
    if (is_read !== undefined && String(head.is_read) !== is_read) return false
    if (from && addressOf(head.from) !== from) return false
    if (to && !recipientsOf(head).some((recipient) => addressOf(recipient) === to)) return false
    if (subject && !fold(head.subject).includes(subject)) return false
    if (tag !== undefined && !hasTag(head, tag)) return false
    return text ? 'words' : true
  }
  return {
    byHead,
    byWords(_head, words) {
      const body = fold([words.text ?? '', words.html === null ? '' : roughText(words.html)].join(' '))
      return body.includes(text)
    },
    isOpen: Object.values(filter).every((value) => value === undefined || value === ''),
    needsWords: text !== '',
  }
}

/** Without case, and with line breaks as the spaces that they are. */
export const fold = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim()

/** The address of `Name <address>`, as addresses are compared. What is none is compared as it is. */
export function addressOf(mailbox: string): string {
  const inner = /<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox
  return comparableAddress(inner.trim())
}

export const recipientsOf = ({ to, cc, bcc, received_for }: Head): string[] => [...to, ...cc, ...bcc, ...received_for]

/** `name` or `name:value` of a tag, or a label. */
const hasTag = ({ tags, labels }: Head, wanted: string) =>
  labels.includes(wanted) || tags.some(({ name, value }) => wanted === name || wanted === `${name}:${value}`)
