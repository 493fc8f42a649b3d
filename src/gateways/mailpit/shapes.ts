import type { Item, match, StoredFile, WholeMessage } from '../../features/messages/index.ts'
import { parseMailbox } from '../../mail/address.ts'
import { blindCopiesOf, tagsOf, withoutBrackets } from './query.ts'

// Messages as Mailpit writes them.

/** What cannot be read as an address is shown as a name. */
export function mailboxOf(text: string) {
  const mailbox = parseMailbox(text)
  if (mailbox) return { Name: mailbox.name ?? '', Address: mailbox.address }
  const [, name = '', address] = /^(.*)<([^<>]*)>\s*$/s.exec(text) ?? []
  return address === undefined ? { Name: text, Address: '' } : { Name: name.trim(), Address: address.trim() }
}

const mailboxesOf = (texts: readonly string[]) => texts.map(mailboxOf)

const headOf = (head: match.Head) => ({
  ID: head.id,
  MessageID: withoutBrackets(head.message_id),
  From: mailboxOf(head.from),
  To: mailboxesOf(head.to),
  Cc: mailboxesOf(head.cc),
  Bcc: mailboxesOf(blindCopiesOf(head)),
  ReplyTo: mailboxesOf(head.reply_to),
  Subject: head.subject,
  Tags: tagsOf(head),
  Username: '',
})

export const summaryOf = (
  head: match.Head,
  { snippet, size, created_at, attachments }: Item,
  { inline }: match.Extent,
) => ({
  ...headOf(head),
  Read: head.is_read,
  Created: created_at,
  Size: size,
  Attachments: attachments - inline,
  Snippet: snippet,
})

export interface ShownFile {
  readonly PartID: string
  readonly FileName: string
  readonly ContentType: string
  readonly ContentID: string
  readonly Size: number
  readonly Checksums: Checksums
}

export interface Checksums {
  readonly MD5: string
  readonly SHA1: string
  readonly SHA256: string
}

export const fileOf = (file: StoredFile, Checksums: Checksums): ShownFile => ({
  PartID: file.id,
  FileName: file.filename ?? '',
  ContentType: file.content_type,
  ContentID: withoutBrackets(file.content_id ?? ''),
  Size: file.size,
  Checksums,
})

export function wholeOf(head: match.Head, message: WholeMessage, files: readonly ShownFile[]) {
  const headerNamed = (name: string) =>
    message.headers.find((header) => header.name.toLowerCase() === name)?.value ?? ''
  const list = headerNamed('list-unsubscribe')
  return {
    ...headOf(head),
    ReturnPath: withoutBrackets(headerNamed('return-path')) || mailboxOf(head.from).Address,
    Date: message.created_at,
    Size: message.size,
    // Text and html come last: they may be long, and are written in pieces.
    Inline: files.filter(({ ContentID }) => ContentID !== ''),
    Attachments: files.filter(({ ContentID }) => ContentID === ''),
    ListUnsubscribe: {
      Header: list,
      Links: [...list.matchAll(/<([^<>\s]{1,4000})>/g)].map(([, link]) => link!),
      Errors: '',
      HeaderPost: headerNamed('list-unsubscribe-post'),
    },
    Text: message.text ?? '',
    HTML: message.html ?? '',
  }
}

/** Names as Go spells them: `Message-Id`. */
export function headersOf(headers: WholeMessage['headers']): Record<string, string[]> {
  const values = new Map<string, string[]>()
  for (const { name, value } of headers) {
    const spelled = name.toLowerCase().replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase())
    values.set(spelled, [...(values.get(spelled) ?? []), value])
  }
  return Object.fromEntries(values)
}
