// What Mailpit's search understands: words and "phrases", filters like `to:ada@example.com`, and - or ! in front of what must not be.

/** What can be asked of a message. What takes a look into its content is asked last. */
export interface Searched {
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly reply_to: readonly string[]
  readonly subject: string
  readonly message_id: string
  readonly is_read: boolean
  /** Labels, and tags as `name:value`. */
  readonly tags: readonly string[]
  readonly created_at: Date
}

export interface Extent {
  readonly attachments: number
  readonly inline: number
  readonly size: number
}

export type Clause = { readonly isExcluded: boolean } & (
  | { readonly kind: 'head'; fits(message: Searched): boolean }
  | { readonly kind: 'extent'; fits(extent: Extent): boolean }
  /** In the subject, an address or the text. Folded. */
  | { readonly kind: 'words'; readonly text: string }
)

const MOST_CLAUSES = 50
const TOKEN = /([-!]?)(?:([a-z-]+):)?(?:"([^"]*)"?|(\S+))/gi

/** Mailpit leaves out what it does not understand, and so do we: a word with a colon is then a word. */
export function readQuery(query: string, timeZone?: string): Clause[] {
  const clauses: Clause[] = []
  for (const [token, sign, filter, phrase, word] of query.matchAll(TOKEN)) {
    if (clauses.length === MOST_CLAUSES) break
    const isExcluded = sign !== ''
    const value = (phrase ?? word ?? '').trim()
    const known = filter === undefined ? null : clauseOf(filter.toLowerCase(), value, timeZone)
    const text = fold(filter === undefined ? value : token.slice(sign!.length).replaceAll('"', ''))
    if (known) clauses.push({ ...known, isExcluded })
    else if (text !== '') clauses.push({ kind: 'words', text, isExcluded })
  }
  return clauses
}

type Unsigned<Each> = Each extends Clause ? Omit<Each, 'isExcluded'> : never

const head = (fits: (message: Searched) => boolean): Unsigned<Clause> => ({ kind: 'head', fits })

function clauseOf(filter: string, value: string, timeZone: string | undefined): Unsigned<Clause> | null {
  if (value === '') return null
  const isWanted = addressTest(value)
  switch (filter) {
    case 'from':
      return head(({ from }) => isWanted(from))
    case 'to':
      return head(({ to }) => to.some(isWanted))
    case 'cc':
      return head(({ cc }) => cc.some(isWanted))
    case 'bcc':
      return head(({ bcc }) => bcc.some(isWanted))
    case 'reply-to':
      return head(({ reply_to }) => reply_to.some(isWanted))
    case 'addressed':
      return head(({ from, to, cc, bcc, reply_to }) => [from, ...to, ...cc, ...bcc, ...reply_to].some(isWanted))
    case 'subject':
      return head(({ subject }) => fold(subject).includes(fold(value)))
    case 'message-id': {
      const id = bare(value)
      return head(({ message_id }) => bare(message_id) === id)
    }
    case 'tag':
      return head(({ tags }) => tags.some((tag) => fold(tag) === fold(value)))
    case 'is':
      return stateOf(value.toLowerCase())
    case 'has':
      return contentOf(value.toLowerCase())
    case 'after':
    case 'before':
      return timeOf(filter, value, timeZone)
    case 'larger':
    case 'smaller':
      return sizeOf(filter, value)
    default:
      return null
  }
}

function stateOf(value: string): Unsigned<Clause> | null {
  if (value === 'read') return head(({ is_read }) => is_read)
  if (value === 'unread') return head(({ is_read }) => !is_read)
  if (value === 'tagged') return head(({ tags }) => tags.length > 0)
  return null
}

function contentOf(value: string): Unsigned<Clause> | null {
  if (/^attachments?$/.test(value)) return { kind: 'extent', fits: ({ attachments }) => attachments > 0 }
  if (/^inlines?$/.test(value)) return { kind: 'extent', fits: ({ inline }) => inline > 0 }
  return null
}

function timeOf(filter: 'after' | 'before', value: string, timeZone: string | undefined): Unsigned<Clause> | null {
  const moment = momentOf(value, timeZone)
  if (moment === null) return null
  return head(({ created_at }) => (filter === 'after' ? created_at.getTime() > moment : created_at.getTime() < moment))
}

const UNITS: Record<string, number> = { '': 1, b: 1, k: 1_024, kb: 1_024, m: 1_048_576, mb: 1_048_576 }

function sizeOf(filter: 'larger' | 'smaller', value: string): Unsigned<Clause> | null {
  const [, digits, unit] = /^(\d{1,12}(?:\.\d{1,3})?)\s*([a-z]*)$/i.exec(value) ?? []
  const factor = unit === undefined ? undefined : UNITS[unit.toLowerCase()]
  if (digits === undefined || factor === undefined) return null
  const bytes = Number(digits) * factor
  return { kind: 'extent', fits: ({ size }) => (filter === 'larger' ? size > bytes : size < bytes) }
}

/** Addresses are compared whole: `ada@example.com` is not `granada@example.com`. `@example.com` is everybody there, `*` any text. */
function addressTest(wanted: string): (mailbox: string) => boolean {
  const address = addressOf(wanted)
  if (address.startsWith('@')) return (mailbox) => addressOf(mailbox).endsWith(address)
  if (address.includes('*')) {
    const pieces = address.split('*')
    return (mailbox) => fitsPieces(addressOf(mailbox), pieces)
  }
  // Without an @ it is a name or a part of one: there is no address that it could be.
  if (!address.includes('@')) return (mailbox) => fold(mailbox).includes(address)
  return (mailbox) => addressOf(mailbox) === address
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

/** Dates are midnight where the one who asks is. What names a zone itself is taken as it is. */
function momentOf(value: string, timeZone: string | undefined): number | null {
  const [, year, month, day] = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(value) ?? []
  if (year === undefined) {
    const parsed = Date.parse(value)
    return Number.isNaN(parsed) ? null : parsed
  }
  const utc = Date.UTC(Number(year), Number(month) - 1, Number(day))
  return utc - zoneOffsetMs(utc, timeZone)
}

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

export const fold = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim()
const addressOf = (mailbox: string) => fold(/<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox)
const bare = (id: string) => id.trim().replace(/^<|>$/g, '')
