import { match } from '../../features/messages/index.ts'
import { Problem } from '../../kernel/http/problem.ts'

// What Mailpit's search understands: words and "phrases", filters like `to:ada@example.com`, and - or ! in front of what must not be.

export type Clause = { readonly isExcluded: boolean } & (
  | { readonly kind: 'head'; fits(message: match.Head): boolean }
  | { readonly kind: 'extent'; fits(extent: match.Extent): boolean }
  /** In the subject, an address or the text. Folded. */
  | { readonly kind: 'words'; readonly text: string }
)

export interface Query {
  readonly clauses: readonly Clause[]
  /** What a message must have in any case, as far as the database can tell. */
  readonly messageFilter: match.MessageFilter
}

const MAX_CLAUSES = 50
const TOKEN = /([-!]?)(?:([a-z-]+):)?(?:"([^"]*)"?|(\S+))/gi

const refuse = (words: string): never => {
  throw new Problem('validation_error', words)
}

/**
 * Mailpit leaves out what it does not understand. A search also says what is deleted, so a filter with a value that means nothing is
 * refused here. A word with a colon that is no filter is a word.
 */
export function readQuery(query: string, timeZone?: string): Query {
  const clauses: Clause[] = []
  const messageFilter: { -readonly [Field in 'to' | 'from' | 'subject']?: string } = {}
  for (const [token, sign, name, phrase, word] of query.matchAll(TOKEN)) {
    const isExcluded = sign !== ''
    const filter = name?.toLowerCase()
    const value = (phrase ?? word ?? '').trim()
    const known = filter === undefined ? null : clauseOf(filter, value, timeZone)
    const text = match.fold(known || filter === undefined ? value : token.slice(sign!.length).replaceAll('"', ''))
    if (known) clauses.push({ ...known, isExcluded })
    else if (text !== '') clauses.push({ kind: 'words', text, isExcluded })
    if (known && !isExcluded && isDecisive(filter!, value))
      messageFilter[filter as keyof typeof messageFilter] ??= value
  }
  if (clauses.length === 0) refuse('no search query')
  if (clauses.length > MAX_CLAUSES) refuse(`A search can have at most ${MAX_CLAUSES} words and filters.`)
  return { clauses, messageFilter }
}

/** Whether the database can look for the value as it is. */
const isDecisive = (filter: string, value: string) =>
  filter === 'subject' || ((filter === 'to' || filter === 'from') && /^[^@*]+@[^@*]+$/.test(value))

type Unsigned<Each> = Each extends Clause ? Omit<Each, 'isExcluded'> : never

const head = (fits: (message: match.Head) => boolean): Unsigned<Clause> => ({ kind: 'head', fits })

/** Null: there is no such filter. */
function clauseOf(filter: string, value: string, timeZone: string | undefined): Unsigned<Clause> | null {
  if (!FILTERS.has(filter)) return null
  if (value === '') return refuse(`The filter \`${filter}:\` needs a value.`)
  switch (filter) {
    case 'from':
    case 'to':
    case 'cc':
    case 'bcc':
    case 'reply-to':
    case 'addressed':
      return addressesOf(filter, addressTest(value))
    case 'subject':
      return head(({ subject }) => match.fold(subject).includes(match.fold(value)))
    case 'message-id':
      return head(({ message_id }) => withoutBrackets(message_id) === withoutBrackets(value))
    case 'tag':
      return head((message) => tagsOf(message).some((tag) => match.fold(tag) === match.fold(value)))
    default:
      return otherOf(filter, value, timeZone) ?? refuse(`The search does not understand \`${filter}:${value}\`.`)
  }
}

const FILTERS: ReadonlySet<string> = new Set([
  ...['from', 'to', 'cc', 'bcc', 'reply-to', 'addressed', 'subject', 'message-id', 'tag'],
  ...['is', 'has', 'after', 'before', 'larger', 'smaller'],
])

function otherOf(filter: string, value: string, timeZone: string | undefined): Unsigned<Clause> | null {
  if (filter === 'is') return stateOf(value.toLowerCase())
  if (filter === 'has') return contentOf(value.toLowerCase())
  if (filter === 'after' || filter === 'before') return timeOf(filter, value, timeZone)
  return sizeOf(filter, value)
}

function addressesOf(filter: string, isWanted: (mailbox: string) => boolean): Unsigned<Clause> {
  switch (filter) {
    case 'from':
      return head(({ from }) => isWanted(from))
    case 'to':
      return head(({ to }) => to.some(isWanted))
    case 'cc':
      return head(({ cc }) => cc.some(isWanted))
    case 'bcc':
      return head((message) => blindCopiesOf(message).some(isWanted))
    case 'reply-to':
      return head(({ reply_to }) => reply_to.some(isWanted))
    default:
      return head((message) => {
        const { from, to, cc, reply_to } = message
        return [from, ...to, ...cc, ...blindCopiesOf(message), ...reply_to].some(isWanted)
      })
  }
}

/** Who gets a message without being named in it. */
export function blindCopiesOf({ to, cc, bcc, received_for }: match.Head): string[] {
  const named = new Set([...to, ...cc, ...bcc].map(match.addressOf))
  return [...bcc, ...received_for.filter((recipient) => !named.has(match.addressOf(recipient)))]
}

/** What people call a message, and what its sender calls it. */
export const tagsOf = ({ labels, tags }: Pick<match.Head, 'labels' | 'tags'>): string[] => [
  ...new Set([...labels, ...tags.map(({ name, value }) => `${name}:${value}`)]),
]

function stateOf(value: string): Unsigned<Clause> | null {
  if (value === 'read') return head(({ is_read }) => is_read)
  if (value === 'unread') return head(({ is_read }) => !is_read)
  if (value === 'tagged') return head((message) => tagsOf(message).length > 0)
  return null
}

function contentOf(value: string): Unsigned<Clause> | null {
  if (/^attachments?$/.test(value))
    return { kind: 'extent', fits: ({ attachments, inline }) => attachments - inline > 0 }
  if (/^inlines?$/.test(value)) return { kind: 'extent', fits: ({ inline }) => inline > 0 }
  return null
}

function timeOf(filter: 'after' | 'before', value: string, timeZone: string | undefined): Unsigned<Clause> | null {
  const moment = momentOf(value, timeZone)
  if (moment === null) return null
  return head(({ created_at }) => (filter === 'after' ? created_at.getTime() > moment : created_at.getTime() < moment))
}

const UNITS: Record<string, number> = { '': 1, b: 1, k: 1_024, kb: 1_024, m: 1_048_576, mb: 1_048_576 }

function sizeOf(filter: string, value: string): Unsigned<Clause> | null {
  const [, digits, unit] = /^(\d{1,12}(?:\.\d{1,3})?)\s*([kmb]{0,2})$/i.exec(value) ?? []
  const factor = unit === undefined ? undefined : UNITS[unit.toLowerCase()]
  if (digits === undefined || factor === undefined) return null
  const bytes = Number(digits) * factor
  return { kind: 'extent', fits: ({ size }) => (filter === 'larger' ? size > bytes : size < bytes) }
}

/** Addresses are compared whole: `ada@example.com` is not `granada@example.com`. `@example.com` is everybody there, `*` any text. */
function addressTest(wanted: string): (mailbox: string) => boolean {
  const address = match.addressOf(wanted)
  if (address.startsWith('@')) return (mailbox) => match.addressOf(mailbox).endsWith(address)
  if (address.includes('*')) {
    const pieces = address.split('*')
    return (mailbox) => fitsPieces(match.addressOf(mailbox), pieces)
  }
  // Without an @ it is a name or a part of one: there is no address that it could be.
  if (!address.includes('@')) return (mailbox) => match.fold(mailbox).includes(match.fold(wanted))
  return (mailbox) => match.addressOf(mailbox) === address
}

/** Whether the text is these pieces with anything in between. */
function fitsPieces(text: string, pieces: readonly string[]): boolean {
  const [first, last] = [pieces[0]!, pieces.at(-1)!]
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  let at = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= text.length - last.length
}

const DATE = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/
const ISO_TIME = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s*(Z|[+-]\d\d:?\d\d)?$/i
/** Of RFC 2822, as headers have it. */
const MAIL_TIME = /^(?:[a-z]{3},\s*)?(\d{1,2})\s+([a-z]{3})\s+(\d{4})\s+\d\d:\d\d(?::\d\d)?\s+(?:[+-]\d{4}|GMT|UTC?)$/i
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * Dates, and times without a zone, are those of where the one who asks is. `Date.parse` gets nothing else: it takes any words with a
 * number for a time (`id-7` is July of 2001), and counts on from days that there are not.
 */
function momentOf(value: string, timeZone: string | undefined): number | null {
  const mail = MAIL_TIME.exec(value)
  if (mail) {
    const [, day, month, year] = mail
    return isDay(year!, MONTHS.indexOf(month!.toLowerCase()) + 1, day!) ? parsed(value) : null
  }
  const [, year, month, day, time = '00:00', zone] = DATE.exec(value) ?? ISO_TIME.exec(value) ?? []
  if (year === undefined || !isDay(year, month!, day!)) return null
  const date = `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`
  const moment = parsed(`${date}T${time}${zone?.toUpperCase() ?? 'Z'}`)
  return moment === null || zone !== undefined ? moment : moment - zoneOffsetMs(moment, timeZone)
}

function parsed(text: string): number | null {
  const moment = Date.parse(text)
  return Number.isNaN(moment) ? null : moment
}

/** Whether the calendar has it. */
function isDay(year: string, month: number | string, day: string): boolean {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
}

/** A zone that is not known is UTC. */
function zoneOffsetMs(utc: number, timeZone: string | undefined): number {
  if (!timeZone) return 0
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(utc)
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
    if (sign === undefined) return 0
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  } catch {
    return 0
  }
}

/** As Mailpit writes the ids of messages. */
export const withoutBrackets = (id: string) => id.trim().replace(/^<|>$/g, '')
