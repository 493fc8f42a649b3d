import { FRAME_POLICY, MAIL_FRAME, MAIL_TEXT, withMail } from '../../kernel/http/mail-frame.ts'
import { type Brand, noticePage, publicPage } from '../../kernel/http/public-page.ts'
import type { PublicAnswer } from '../../kernel/http/public-route.ts'
import { escapeHtml } from '../../mail/html.ts'
import { plainLine } from '../../mail/plain-name.ts'
import type { NoticedApproval } from '../emails/delivery/approvals/queries.ts'
import { alreadyDecided, type Decision } from './actions.ts'
import { addressIn, holderWords, recipientWords, sharedFieldsOf } from './shared-fields.ts'

// Where the links of a mail to an approver lead. Works without JavaScript. Opening it decides nothing, because scanners open every link; only a button does.

/** A file of the email that is shown. */
export interface ShownFile {
  readonly name: string
  readonly size: number
  readonly url: string
}

export interface ApprovalPage {
  readonly brand: Brand
  readonly approver: string
  /** What every address of the page has. */
  readonly query: string
  /** The one that the link was for. */
  readonly decision: Decision
  /** All that the notice is about, and that are still there. */
  readonly mail: readonly NoticedApproval[]
  /** The one that is shown, with what it says. */
  readonly shown: NoticedApproval
  readonly content: { readonly html: string | null; readonly text: string | null }
  /** Where answers go. */
  readonly replyTo: readonly string[]
  /** Those that it was given besides. */
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly files: readonly ShownFile[]
  /** What the button has just done, in words. */
  readonly done?: string
}

export const notValid = () =>
  noticePage({
    status: 404,
    title: 'This link is not valid',
    text: 'It may be incomplete, its time may be over, or you may not be asked any more.',
  })

export const isSuspended = () =>
  noticePage({ status: 403, title: 'This team is suspended', text: 'Nothing can be decided until it is unsuspended.' })

/** A longer subject is cut in a list, and never who gets it; the email that is shown has all of it. */
const MAX_SUBJECT_CHARACTERS = 100

export function approvalPage(page: ApprovalPage): PublicAnswer {
  const waiting = page.mail.filter(({ status }) => status === 'waiting')
  const answer = publicPage({
    title: page.done ?? titleOf(waiting.length, page.decision),
    sender: page.brand,
    policy: `${FRAME_POLICY}; form-action 'self'`,
    showsMail: true,
    body: `${waiting.length > 0 ? formOf(page, waiting) : decidedOf(page)}
      ${detailsOf(page)}
      ${MAIL_FRAME}
      ${page.content.html !== null && page.content.text !== null ? `<h2>Text version</h2><p>Shown by mail programs that show no HTML.</p>${MAIL_TEXT}` : ''}`,
    footer: `You are asked as ${escapeHtml(page.approver)}. Anyone with this link can decide in your name.`,
  })
  return withMail(answer, page.content)
}

function titleOf(waiting: number, decision: Decision): string {
  if (waiting === 0) return 'No emails waiting'
  const emails = waiting === 1 ? 'this email' : `${waiting} emails`
  return decision === 'approve' ? `Approve ${emails}?` : `Refuse ${emails}?`
}

const BUTTONS = { approve: 'Approve', refuse: 'Refuse' } as const

function formOf({ mail, decision, shown, query }: ApprovalPage, waiting: readonly NoticedApproval[]): string {
  const { holder } = sharedFieldsOf(waiting)
  const who = holder === null ? 'Several keys and apps want' : `The ${holder} wants`
  const emails = waiting.length === 1 ? 'an email' : `${waiting.length} emails`
  const buttons = (['approve', 'refuse'] as const).map(
    (one) =>
      `<button name="decision" value="${one}"${one === decision ? ' class="primary"' : ''}>${BUTTONS[one]}${waiting.length > 1 ? ' selected' : ''}</button>`,
  )
  return `<p>${escapeHtml(`${who} to send ${emails}.`)} Nothing is sent until somebody approves it.</p>
    <form method="post">
      ${mail.length === 1 ? fieldOf(waiting[0]!, 'hidden') : `<ul>${mail.map((one) => itemOf(one, { decision, shown, mail, query })).join('')}</ul>`}
      <div class="choices">${buttons.join('')}</div>
    </form>`
}

const fieldOf = ({ id }: NoticedApproval, type: string) =>
  `<input type="${type}" name="email" value="${escapeHtml(id)}"${type === 'checkbox' ? ' checked' : ''}>`

/** What is alike is said once: a line has what differs. */
function itemOf(
  one: NoticedApproval,
  { decision, shown, mail, query }: Pick<ApprovalPage, 'decision' | 'shown' | 'mail' | 'query'>,
): string {
  const alike = sharedFieldsOf(mail)
  const words = [
    `to ${recipientWords(one)}`,
    ...(alike.subject === null ? [plainLine(one.subject, MAX_SUBJECT_CHARACTERS) || '(no subject)'] : []),
    ...(alike.from === null ? [`from ${addressIn(one.from)}`] : []),
    ...(alike.holder === null ? [holderWords(one)] : []),
  ]
  const label = escapeHtml(words.join(' · '))
  const link =
    one.id === shown.id
      ? '<small>Shown below</small>'
      : `<a href="?${escapeHtml(query)}&amp;decision=${decision}&amp;email=${escapeHtml(one.id)}" aria-label="Show ${label}">Show</a>`
  if (one.status !== 'waiting') return `<li><p>${label}<br><small>${escapeHtml(becameOf(one))}</small></p>${link}</li>`
  return `<li><p><label>${fieldOf(one, 'checkbox')} ${label}</label></p>${link}</li>`
}

const becameOf = ({ status, decidedBy }: NoticedApproval) => alreadyDecided({ status, decidedBy, isNew: false })

function decidedOf({ mail, decision, shown, query }: ApprovalPage): string {
  if (mail.length === 1) return `<p>${escapeHtml(becameOf(mail[0]!))}</p>`
  return `<ul>${mail.map((one) => itemOf(one, { decision, shown, mail, query })).join('')}</ul>`
}

function detailsOf({ shown, replyTo, headers, files }: ApprovalPage): string {
  const listed = headers.map(({ name, value }) => escapeHtml(`${name}: ${value}`)).join('<br>')
  const rows: [string, string][] = [
    ['From', escapeHtml(shown.from)],
    ['To', escapeHtml(shown.to.join(', '))],
    ...(shown.cc?.length ? [['Cc', escapeHtml(shown.cc.join(', '))] as [string, string]] : []),
    ...(shown.bcc?.length ? [['Bcc', escapeHtml(shown.bcc.join(', '))] as [string, string]] : []),
    ...(replyTo.length > 0 ? [['Reply-To', escapeHtml(replyTo.join(', '))] as [string, string]] : []),
    ['Subject', escapeHtml(shown.subject || '(no subject)')],
    ...(shown.scheduledAt ? [['Scheduled for', escapeHtml(shown.scheduledAt.toUTCString())] as [string, string]] : []),
    ['Sent by', escapeHtml(holderWords(shown))],
    ...(headers.length > 0 ? [['Headers', listed] as [string, string]] : []),
    ...(files.length > 0 ? [['Files', files.map(fileOf).join('<br>')] as [string, string]] : []),
  ]
  return `<h2>Preview</h2><dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>`
}

const fileOf = ({ name, size, url }: ShownFile) =>
  `<a href="${escapeHtml(url)}">${escapeHtml(name)}</a> <small>${Math.ceil(size / 1024)} kB</small>`
