import type { HeaderFields } from '../parsed.ts'
import { cleanLine } from './clean-text.ts'
import { readDate } from './date.ts'
import { decodeWords } from './encoded-words.ts'
import type { HeaderField } from './header-block.ts'
import { MAX_ADDRESSES_LENGTH, MAX_AUTHORS_LENGTH } from './limits.ts'
import { readAddresses, readAuthor } from './mailboxes.ts'

// A line of a header has no more (RFC 5322). Messages are looked up by it, and an index has no room for more.
const MAX_MESSAGE_ID_LENGTH = 998

/** The header as it is shown. Of a field that may be there only once the first counts; addresses are those of all. */
export function headerFieldsOf(fields: readonly HeaderField[]): HeaderFields {
  const first = (name: string) => fields.find((field) => field.name === name)?.value
  const addresses = (name: string) => {
    const values = fields.flatMap((field) => (field.name === name ? [field.value] : []))
    return readAddresses(values.join(', ').slice(0, MAX_ADDRESSES_LENGTH))
  }
  const headers = fields.map(({ name, value }) => ({ name, value: cleanLine(decodeWords(value)) }))
  return {
    from: readAuthor((first('from') ?? '').slice(0, MAX_AUTHORS_LENGTH)),
    to: addresses('to'),
    cc: addresses('cc'),
    bcc: addresses('bcc'),
    replyTo: addresses('reply-to'),
    subject: headers.find(({ name }) => name === 'subject')?.value ?? null,
    messageId: messageIdOf(first('message-id') ?? ''),
    date: readDate(first('date') ?? ''),
    headers,
  }
}

function messageIdOf(value: string): string | null {
  const line = cleanLine(value)
  const id = /<[^<>]+>/.exec(line)?.[0] ?? line
  return id === '' || id.length > MAX_MESSAGE_ID_LENGTH ? null : id
}
