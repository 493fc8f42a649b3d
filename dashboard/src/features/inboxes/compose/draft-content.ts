import type { Static } from 'typebox'
import type { Draft as DraftShape, UpdateDraft } from '../../../../../src/features/inboxes/drafts/schema.ts'
import { isMailbox } from './mailboxes.ts'
import { plainText } from './plain-text.ts'
import { joinBody, splitBody, type Tail } from './tail.ts'

export type Draft = Static<typeof DraftShape>
export type DraftFile = Draft['attachments'][number]

/** What a person writes. Files are apart: they are on the service as soon as they are there at all. */
export interface Content {
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string
  /** Their own words, in the markup of the editor. */
  readonly html: string
  /** What follows them and is not edited, in a draft from elsewhere. */
  readonly tail: Tail | null
}

export const NOTHING: Content = { to: [], cc: [], bcc: [], subject: '', html: '', tail: null }

/** What a draft is about, which never changes. */
export interface Origin {
  readonly thread_id?: string | undefined
  readonly reply_to_email_id?: string | undefined
  readonly forward_of_email_id?: string | undefined
}

export const contentOf = (draft: Pick<Draft, 'to' | 'cc' | 'bcc' | 'subject' | 'html' | 'text'>): Content => ({
  to: draft.to ?? [],
  cc: draft.cc,
  bcc: draft.bcc,
  subject: draft.subject ?? '',
  ...splitBody(draft.html, draft.text),
})

/** Sent, or about to be: nobody changes it any more. */
export const isSent = ({ email_id, send_at }: Pick<Draft, 'email_id' | 'send_at'>) =>
  email_id !== null || send_at !== null

/** What can be changed of a draft. */
export type DraftFields = Static<typeof UpdateDraft>

/** An empty field is said to be empty: one that is left out stays as it was. What is no address yet is not saved. */
export function fieldsOf({ to, cc, bcc, subject, html, tail }: Content): DraftFields {
  const someOf = (mailboxes: readonly string[]) => {
    const right = mailboxes.filter(isMailbox)
    return right.length > 0 ? right : null
  }
  const body = joinBody({ html, text: plainText(html) }, tail)
  return {
    to: someOf(to),
    cc: someOf(cc),
    bcc: someOf(bcc),
    subject: subject || null,
    html: body.html || null,
    text: body.text || null,
  }
}

/** Nothing that anybody would miss. */
export const isBlank = ({ to, cc, bcc, subject, html }: Content) =>
  to.length + cc.length + bcc.length === 0 && subject.trim() === '' && plainText(html) === ''

/** Of a content that nobody has seen. */
export const UNKNOWN = -1

/**
 * Tells contents apart, in 53 bits (cyrb53): two tabs compare what they wrote without storage all of it. It guards against accidents,
 * not against people.
 */
export function fingerprintOf(content: Content): number {
  const { to, cc, bcc, subject, html } = fieldsOf(content)
  const text = JSON.stringify([to, cc, bcc, subject, html])
  let [a, b] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}
