import { textTooLong } from '../../kernel/http/json-limits.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { addressMessage } from '../../kernel/http/validate.ts'
import { parseMailbox } from '../../mail/address.ts'
import { isReserved, refuseHeader } from '../../mail/custom-header.ts'
import { MAX_TEXT_LENGTH } from '../../mail/limits.ts'
import { readAddresses as mailboxesIn } from '../../mail/parse/mailboxes.ts'
import type { NewEmail } from './delivery/acceptance/accept.ts'
import type { WrittenFields } from './delivery/ledger/email-fields.ts'
import type { EmailRequest } from './schema.ts'

/** What a template contributes. */
export interface Rendered {
  readonly id: string
  readonly from: string | null
  readonly subject: string | null
  readonly reply_to: readonly string[] | null
  readonly html: string | null
  readonly text: string | null
}

/** What `prepare` knows besides: who sends it, when, and from where. */
type Around = 'id' | 'team' | 'messageId' | 'domainId' | 'broadcastId' | 'createdAt' | keyof WrittenFields

/** A request as an email: every field there, checked, with every address as it was given. */
export type Composed = Omit<NewEmail, Around | 'attachments' | 'submitted'>

/**
 * Checks in the order that clients know: to, content, subject, from. What the request says wins over the template. Mail that came
 * by SMTP has an envelope, and the envelope alone says who gets it; whoever is in it and not in the header is a blind copy.
 */
export function compose(
  request: EmailRequest,
  template: Rendered | null,
  envelope: readonly string[] | null,
): { fromAddress: string; composed: Composed } {
  const to = listOf(request.to) ?? (envelope && [])
  if (!to) throw missing('to')
  const { html = null, text = null } = template ?? request
  // An attachment alone can be the message: a forwarded mail is one.
  if (html === null && text === null && !request.attachments?.length)
    throw new Problem('validation_error', 'Missing `html` or `text` field.')
  for (const [field, words] of Object.entries({ html, text }))
    if (words !== null && words.length > MAX_TEXT_LENGTH) throw textTooLong(field)
  // The SDK for Go has no absent text: what is empty beside a template is the template's.
  const subject = (request.subject || template?.subject) ?? request.subject ?? null
  if (subject === null) throw missing('subject')
  const from = (request.from || template?.from) ?? request.from ?? null
  if (from === null) throw missing('from')

  const cc = listOf(request.cc)
  const bcc = envelope ? blindCopies(envelope, [...to, ...(cc ?? [])]) : listOf(request.bcc)
  const replyTo = listOf(request.reply_to) ?? repliesIn(request.headers) ?? template?.reply_to ?? null
  const [fromAddress] = readAddresses('from', [from])
  const recipients = [...readAddresses('to', to), ...readAddresses('cc', cc), ...readAddresses('bcc', bcc)]
  readAddresses('reply_to', replyTo)
  if (/[\r\n]/.test(subject))
    throw new Problem('validation_error', 'Invalid `subject` field. It must be a single line.')
  const composed: Composed = {
    from,
    to,
    cc,
    bcc,
    replyTo,
    subject,
    html,
    text,
    headers: readHeaders(request.headers),
    tags: request.tags ?? null,
    topicId: request.topic_id ?? null,
    templateId: template?.id ?? null,
    recipients: distinct(envelope ?? recipients),
  }
  return { fromAddress: fromAddress!, composed }
}

const missing = (field: string) => new Problem('missing_required_field', `Missing \`${field}\` field.`)

const listOf = (given: string | readonly string[] | undefined): readonly string[] | null =>
  given === undefined ? null : typeof given === 'string' ? [given] : given

function readAddresses(field: string, given: readonly string[] | null): string[] {
  return (given ?? []).map((text) => {
    const mailbox = parseMailbox(text)
    if (!mailbox) throw new Problem('validation_error', addressMessage(field, 'mailbox'))
    return mailbox.address
  })
}

function blindCopies(envelope: readonly string[], named: readonly string[]): readonly string[] | null {
  const seen = new Set(named.map((text) => parseMailbox(text)?.address.toLowerCase()))
  const blind = distinct(envelope).filter((address) => !seen.has(address.toLowerCase()))
  return blind.length > 0 ? blind : null
}

/** One copy for each mailbox, however often it is named. */
const distinct = (addresses: readonly string[]) => [
  ...new Map(addresses.map((address) => [address.toLowerCase(), address])).values(),
]

/** Postfix cuts off what is beyond 102,400 bytes of all headers together, and with it the signature. */
export const MAX_HEADERS = 100
export const MAX_HEADERS_LENGTH = 32_000

/** Without those that are ours to write: clients that hand on all that a mail had should not have to know which these are. */
function readHeaders(given: EmailRequest['headers']) {
  const entries = Object.entries(given ?? {})
  const characters = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (entries.length > MAX_HEADERS || characters > MAX_HEADERS_LENGTH)
    throw new Problem(
      'validation_error',
      `Invalid \`headers\` field. There can be at most ${MAX_HEADERS} headers with ${MAX_HEADERS_LENGTH} characters in all.`,
    )
  const headers = entries.map(([name, value]) => {
    const refusal = refuseHeader(name, value)
    if (refusal) throw new Problem('validation_error', `Invalid \`headers\` field. ${refusal}`)
    return { name, value }
  })
  const own = headers.filter(({ name }) => !isReserved(name))
  return own.length > 0 ? own : null
}

/** The addresses of a `Reply-To` among the headers: another way to say `reply_to`, for clients that know no other. */
function repliesIn(headers: EmailRequest['headers']): readonly string[] | null {
  const value = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'reply-to')?.[1]
  const mailboxes = mailboxesIn(value?.slice(0, MAX_HEADERS_LENGTH) ?? '')
  return mailboxes.length > 0 ? mailboxes : null
}

/** The template and the content of the request exclude each other. An empty one is what adapters send for none. */
export function refuseMixedContent(request: EmailRequest) {
  if (request.template && (request.html || request.text))
    throw new Problem('validation_error', 'Use either `template`, or `html` and `text`, not both.')
}
