import { parseMailbox } from '../address.ts'
import { isAscii } from '../ascii.ts'
import type { Mailbox } from '../message.ts'
import { fold, hasUnfoldable, headerLine, isStructured } from '../mime/header-line.ts'
import { mailboxHeader } from '../mime/mailbox-list.ts'
import { decodeHeader } from '../parse/header-charset.ts'
import { readAddresses } from '../parse/mailboxes.ts'
import { shownValue, unfoldedValue, type WrittenField } from './fields.ts'
import { MAX_LINE_LENGTH } from './lines.ts'

/** What the header of a submitted message gets from us, where it has not got it. */
export interface HeaderStamp {
  readonly from: Mailbox
  /** With its angle brackets. The one of the message, if it has one that can be used. */
  readonly messageId: string
  readonly date: Date
  /** Ours, whatever there is. */
  readonly added: readonly { readonly name: string; readonly value: string }[]
  /** Only what the message has not got. */
  readonly defaults?: readonly { readonly name: string; readonly value: string }[]
}

/** What is for us and not for those who get the mail. */
const REMOVED = /^(?:bcc|resent-bcc|return-path|resend-.*|x-postwren-.*)$/

/** They vouch for the bytes of a body. */
const VOUCHING = /^(?:dkim-signature|domainkey-signature|arc-.*)$/

/** May be there once, and the first is the one that we have read. Others may read the last. */
const ONCE = new Set(['subject', 'date', 'message-id', 'mime-version', 'content-type', 'content-transfer-encoding'])

const ADDRESSES = new Set(['to', 'cc', 'reply-to', 'sender', 'resent-from', 'resent-sender', 'resent-to', 'resent-cc'])

/** The header as it leaves, as bytes in latin1: what its author wrote, in their order and their letters, and behind it what is missing. */
export function outgoingHeader(
  fields: readonly WrittenField[],
  stamp: HeaderStamp,
  { isBodyChanged }: { isBodyChanged: boolean },
): string {
  const seen = new Set<string>()
  let header = ''
  for (const field of fields) {
    const { key } = field
    if (REMOVED.test(key) || (isBodyChanged && VOUCHING.test(key)) || (ONCE.has(key) && seen.has(key))) continue
    if (key === 'message-id' && shownValue(field) !== stamp.messageId) continue
    seen.add(key)
    header += key === 'from' ? authorLine(field, stamp.from) : fittingLine(field)
  }
  return header + bytes(missing(seen, stamp))
}

function missing(seen: ReadonlySet<string>, { messageId, date, added, defaults = [] }: HeaderStamp): string {
  const needsVersion = ['content-type', 'content-transfer-encoding'].some((key) => seen.has(key))
  return [
    seen.has('date') ? '' : headerLine('Date', date.toUTCString().replace('GMT', '+0000')),
    seen.has('message-id') ? '' : headerLine('Message-ID', messageId),
    seen.has('mime-version') || !needsVersion ? '' : headerLine('MIME-Version', '1.0'),
    ['to', 'cc', 'resent-to', 'resent-cc'].some((key) => seen.has(key)) ? '' : 'To: undisclosed-recipients:;\r\n',
    ...[...added, ...defaults.filter(({ name }) => !seen.has(name.toLowerCase()))].map(({ name, value }) =>
      headerLine(name, value),
    ),
  ].join('')
}

// A name in quotes or without any special character, and one address. Each character is looked at once.
const PLAIN_AUTHOR =
  /^(?:(?:"(?:[^"\\]|\\.)*"|[^"\\<>()@,;:[\]])*<([^\s<>()@,;:"\\[\]]+@[^\s<>()@,;:"\\[\]]+)>|([^\s<>()@,;:"\\[\]]+@[^\s<>()@,;:"\\[\]]+))$/

/** Who wrote it is what was checked. Spelled so that two readers could read two authors, it is spelled anew. */
function authorLine(field: WrittenField, from: Mailbox): string {
  const [, inAngles, bare] = PLAIN_AUTHOR.exec(unfoldedValue(field)) ?? []
  const isSame = (inAngles ?? bare)?.toLowerCase() === from.address.toLowerCase()
  return isSame && isFit(field) ? `${field.source}\r\n` : bytes(mailboxHeader(field.name, [from]))
}

/** As it is, unless servers would refuse or harm it. */
function fittingLine(field: WrittenField): string {
  if (isFit(field)) return `${field.source}\r\n`
  const { name, key } = field
  const value = unfoldedValue(field)
  const mailboxes = ADDRESSES.has(key) ? readAddresses(decodeHeader(value, null)).map(parseMailbox) : []
  if (mailboxes.length > 0 && mailboxes.every((mailbox) => mailbox !== null))
    return bytes(mailboxHeader(name, mailboxes))
  const isMachineRead = isStructured(name) || VOUCHING.test(key) || key.startsWith('content-') || key === 'received'
  const mustStay = isMachineRead || (isAscii(value) && !hasUnfoldable(name, value))
  return mustStay ? fold(name, value) : bytes(headerLine(name, shownValue(field)))
}

/** Servers without SMTPUTF8 take ASCII only, and text can be encoded. */
const isFit = ({ source }: WrittenField) =>
  isAscii(source) &&
  (source.length <= MAX_LINE_LENGTH || source.split('\r\n').every((line) => line.length <= MAX_LINE_LENGTH))

const bytes = (text: string) => (isAscii(text) ? text : Buffer.from(text).toString('latin1'))
