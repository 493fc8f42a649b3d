import { readHeaderFields } from '../parse.ts'
import type { HeaderFields, ParsedAttachment, ParsedMail } from '../parsed.ts'
import type { BounceReport, ReportedRecipient } from '../report.ts'
import { addressesIn } from './addresses.ts'
import { isFromMachine } from './bounce-signs.ts'
import { MAX_REPORT_LENGTH, type ReportField, readFields, reportText } from './fields.ts'
import { isOriginal, readOriginal } from './original.ts'
import { failedInHeader, reasonsInProse } from './prose.ts'
import { statusIn } from './status.ts'

export const STATUS_PART = /^[a-z]+\/(?:x-|global-)?delivery-status$/
const RECIPIENT_FIELD = /^[ \t]*(?:final|original)-recipient[ \t]*:/im
const OUTCOME_FIELD = /^[ \t]*(?:action|status)[ \t]*:/im

// An email has at most 50 recipients, and a report is about one.
const MAX_RECIPIENTS = 1_000

/** A notification by RFC 3464, or nearly: the fields are the same, where they stand may not be. */
export function readNotification(mail: ParsedMail, raw: Buffer): BounceReport | null {
  const text = statusText(mail)
  if (text === null) return null
  const recipients = withReasons(withName(readRecipients(readFields(text)), mail), mail)
  return recipients.length === 0 ? null : { kind: 'bounce', recipients, original: readOriginal(mail, raw) }
}

/** Exim writes the file that it could not write to where the address belongs; its header has the address. */
function withName(recipients: readonly ReportedRecipient[], mail: ParsedMail): readonly ReportedRecipient[] {
  const [only, ...others] = recipients
  if (!only || others.length > 0 || only.recipient !== null) return recipients
  const [address, ...more] = failedInHeader(mail)
  return [{ ...only, recipient: more.length > 0 ? null : (address ?? null) }]
}

/** OpenSMTPD and others write the reason into the text, and leave the field for it out. */
function withReasons(recipients: readonly ReportedRecipient[], mail: ParsedMail): readonly ReportedRecipient[] {
  if (recipients.every(hasReason)) return recipients
  const reasons = reasonsInProse(mail)
  return recipients.map((one) =>
    hasReason(one) ? one : { ...one, diagnostic: reasons.get(one.recipient?.toLowerCase() ?? '') ?? null },
  )
}

/** A status that ends in 0 stands for "other", of whatever it is about (RFC 3463). */
function hasReason({ action, status, diagnostic }: ReportedRecipient): boolean {
  return action !== 'failed' || diagnostic !== null || (status !== null && !status.endsWith('.0'))
}

/** Under its name, under another one, or in what is read, if a machine wrote it: people quote such things. */
function statusText(mail: ParsedMail): string | null {
  const named = mail.attachments.find(({ contentType }) => STATUS_PART.test(contentType))
  if (named) return reportText(named.content)
  const machine = isFromMachine(mail)
  if (!machine && !isReport(mail)) return null
  const others = mail.attachments.filter((one) => !isOriginal(one) || isWrapped(one)).map(({ content }) => content)
  const texts = [...others.map(reportText), ...(mail.text === null ? [] : [mail.text.slice(0, MAX_REPORT_LENGTH)])]
  return texts.find((text) => RECIPIENT_FIELD.test(text) && OUTCOME_FIELD.test(text)) ?? null
}

/** A report that a gateway has put into another mail. */
function isWrapped({ content }: ParsedAttachment): boolean {
  return isReport(readHeaderFields(content))
}

function isReport({ headers }: HeaderFields): boolean {
  return headers.some(({ name, value }) => name === 'content-type' && /delivery-status/i.test(value))
}

type Group = Map<string, string>

/** Empty lines keep the recipients apart, except where programs forget them or write them behind every field. */
function readRecipients(fields: readonly (ReportField | null)[]): ReportedRecipient[] {
  const groups: Group[] = [new Map()]
  let isApart = false
  for (const field of fields) {
    const group = groups.at(-1)!
    const isAgain = field !== null && group.has(field.name)
    if (field === null) isApart = true
    else if (beginsAnother(field.name, { group, isApart, isAgain })) groups.push(new Map([[field.name, field.value]]))
    else if (!isAgain) group.set(field.name, field.value)
    if (field !== null) isApart = false
  }
  return groups.filter(isAboutSomebody).slice(0, MAX_RECIPIENTS).map(readRecipient)
}

/** Whether the field is about somebody else than the fields before it. */
function beginsAnother(
  name: string,
  { group, isApart, isAgain }: { group: Group; isApart: boolean; isAgain: boolean },
) {
  if (isApart) return isAboutSomebody(group) && (isRecipient(name) || isAgain)
  return isRecipient(name) && (isAgain || isFinished(group))
}

function isRecipient(name: string): boolean {
  return name === 'final-recipient' || name === 'original-recipient'
}

function isAboutSomebody(group: Group): boolean {
  const isNamed = group.has('final-recipient') || group.has('original-recipient')
  return isNamed && (group.has('action') || group.has('status') || group.has('diagnostic-code'))
}

function isFinished(group: Group): boolean {
  return isAboutSomebody(group) && group.has('action') && group.has('status')
}

function readRecipient(group: Group): ReportedRecipient {
  const diagnostic = group.get('diagnostic-code') || null
  const status = statusIn(group.get('status') ?? '') ?? statusIn(diagnostic ?? '')
  return {
    recipient: recipientOf(group),
    action: actionOf(group.get('action') ?? '', status),
    status,
    diagnostic: diagnostic?.slice(0, 1_000).toWellFormed() ?? null,
  }
}

/** The address that the mail was sent to comes before the one that it was forwarded to. */
function recipientOf(group: Group): string | null {
  const written = [group.get('original-recipient'), group.get('final-recipient'), group.get('x-actual-recipient')]
  for (const value of written) {
    const [address] = addressesIn(withoutEncoding((value ?? '').replace(/^[\w-]{1,40}\s*;/, '')))
    if (address !== undefined) return address
  }
  return null
}

/** xtext (RFC 3461), of which only these two occur in addresses, and the form of RFC 6533: `\x{e9}`. */
function withoutEncoding(address: string): string {
  return address
    .replace(/\+(2B|3D)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\x\{([0-9a-f]{2,5})\}/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
}

const ACTIONS = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const

/** By its first letters (`failure`, `Failed (bad address)`); without one the class of the status says it. */
function actionOf(value: string, status: string | null): ReportedRecipient['action'] {
  const start = value.trim().toLowerCase()
  const action = ACTIONS.find((name) => start.startsWith(name.slice(0, 4)))
  if (action) return action
  if (status?.startsWith('4')) return 'delayed'
  return status?.startsWith('2') ? 'delivered' : 'failed'
}
