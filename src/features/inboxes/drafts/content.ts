import type { Static } from 'typebox'
import { textTooLong } from '../../../kernel/http/json-limits.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { addressMessage } from '../../../kernel/http/validate.ts'
import { parseMailbox } from '../../../mail/address.ts'
import { textOf } from '../../../mail/html-text.ts'
import { LONGEST_TEXT } from '../../../mail/limits.ts'
import { listOf, refuseTooMany } from '../recipients.ts'
import type { UpdateDraft } from './schema.ts'

/** What a draft says, without its files. */
export interface DraftContent {
  readonly to: readonly string[] | null
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string | null
  readonly html: string | null
  readonly text: string | null
}

export const NOTHING: DraftContent = { to: null, cc: [], bcc: [], subject: null, html: null, text: null }

/** The draft with what a request changes. A draft may lack anything, but what it has must be right. */
export function changedContent(
  before: DraftContent,
  given: Omit<Static<typeof UpdateDraft>, 'version' | 'attachments'>,
): DraftContent {
  const { to, cc, bcc, subject, html, text } = given
  const after: DraftContent = {
    to: to === undefined ? before.to : to === null ? null : addressesIn('to', to),
    cc: cc === undefined ? before.cc : addressesIn('cc', cc ?? []),
    bcc: bcc === undefined ? before.bcc : addressesIn('bcc', bcc ?? []),
    subject: subject === undefined ? before.subject : subject,
    html: html === undefined ? before.html : html,
    text: text === undefined ? before.text : text,
  }
  if (/[\r\n]/.test(after.subject ?? ''))
    throw new Problem('validation_error', 'Invalid `subject` field. It must be a single line.')
  for (const field of ['html', 'text'] as const)
    if ((after[field]?.length ?? 0) > LONGEST_TEXT) throw textTooLong(field)
  refuseTooMany([...(after.to ?? []), ...after.cc, ...after.bcc])
  return after
}

function addressesIn(field: string, given: string | readonly string[]): readonly string[] {
  const addresses = listOf(given)
  if (!addresses.every((text) => parseMailbox(text)))
    throw new Problem('validation_error', addressMessage(field, 'mailbox'))
  return addresses
}

const SNIPPET_CHARACTERS = 200
/** As much as is looked through for it. */
const BEGINNING = 10_000

/** How it begins, for the list. */
export function snippetOf({ text, html }: Pick<DraftContent, 'html' | 'text'>): string | null {
  const words = text || (html ? textOf(html.slice(0, BEGINNING)) : '')
  const line = words.slice(0, BEGINNING).replace(/\s+/g, ' ').trim()
  return (
    Array.from(line.slice(0, 2 * SNIPPET_CHARACTERS))
      .slice(0, SNIPPET_CHARACTERS)
      .join('')
      .trim() || null
  )
}
