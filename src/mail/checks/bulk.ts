import { extractUnsubscribe } from '../extract/unsubscribe.ts'
import type { Found } from './finding.ts'

interface Header {
  readonly name: string
  readonly value: string
}

/** A mail to so many is one to a list, whatever it says. */
const MANY_RECIPIENTS = 10

/** What Gmail and Yahoo want of mail to many: both headers of RFC 8058. Of a mail to somebody nobody wants them. */
export function findUnsubscribeFaults(message: { headers: readonly Header[]; recipients: number }): Found[] {
  const { headers, recipients } = message
  const value = (wanted: string) => headers.find(({ name }) => name.toLowerCase() === wanted)?.value
  const way = extractUnsubscribe(headers)
  const reason = whyBulk(value, recipients)
  if (way === null)
    return reason === null
      ? []
      : [
          {
            check: 'unsubscribe',
            severity: 'error',
            title: 'Bulk mail has no List-Unsubscribe header',
            detail: `${reason} Gmail and Yahoo refuse such mail from large senders.`,
          },
        ]
  if (way.one_click && way.url?.toLowerCase().startsWith('https:')) return []
  return [
    {
      check: 'unsubscribe',
      severity: reason === null ? 'notice' : 'warning',
      title: 'No one-click unsubscribe',
      detail: way.one_click
        ? 'RFC 8058 wants an https address.'
        : 'List-Unsubscribe-Post: List-Unsubscribe=One-Click beside an https address lets mail clients show a button (RFC 8058).',
    },
  ]
}

function whyBulk(value: (name: string) => string | undefined, recipients: number): string | null {
  const precedence = value('precedence')?.trim().toLowerCase()
  if (precedence && ['bulk', 'list', 'junk'].includes(precedence)) return `Its precedence is ${precedence}.`
  if (value('list-id') !== undefined) return 'It has a List-Id.'
  if (value('list-unsubscribe-post') !== undefined) return 'It has a List-Unsubscribe-Post.'
  return recipients >= MANY_RECIPIENTS ? `It has ${recipients} recipients.` : null
}
