import { escapeHtml } from '../../mail/html.ts'
import { plainName } from '../../mail/plain-name.ts'
import type { NoticedApproval } from '../emails/delivery/approvals/queries.ts'
import { addressIn, holderWords, recipientWords, sharedFieldsOf } from './shared-fields.ts'

/** What an approver is mailed about. All of it was written by whoever wants to send, or by people of the team. */
export interface NoticeMail {
  readonly team: string
  /** The first of them. */
  readonly mail: readonly NoticedApproval[]
  /** How many there are in all. */
  readonly count: number
  readonly approveUrl: string
  readonly refuseUrl: string
  readonly dashboardUrl: string
}

/** So many have a line of their own in the mail; the page behind the links shows all. */
const MAX_LINES = 20
const MAX_TEXT_CHARACTERS = 100
const MAX_NAME_CHARACTERS = 60

const textOf = (text: string) => plainName(text, MAX_TEXT_CHARACTERS)

/** The mail, as text and as html: what is alike is said once, then what differs, then the two links. */
export function noticeMail(notice: NoticeMail): { subject: string; text: string; html: string } {
  const { mail, count } = notice
  const team = plainName(notice.team, MAX_NAME_CHARACTERS) || 'your team'
  const emails = count === 1 ? '1 email' : `${count} emails`
  const alike = sharedFieldsOf(mail)
  const facts = [
    ...(alike.from === null ? [] : [`From: ${alike.from}`]),
    ...(alike.recipients === null ? [] : [`To: ${alike.recipients}`]),
    ...(alike.subject === null ? [] : [`Subject: ${textOf(alike.subject) || '(no subject)'}`]),
  ]
  const isSame = mail.length === count && alike.from !== null && alike.recipients !== null && alike.subject !== null
  const lines = isSame ? [] : mail.slice(0, MAX_LINES).map((one) => lineOf(one, alike))
  const left = count - lines.length
  const who = alike.holder === null ? 'Several keys and apps' : `The ${textOf(alike.holder)}`
  const verb = alike.holder === null ? 'want' : 'wants'
  const ends = new Date(Math.min(...mail.map(({ expiresAt }) => expiresAt.getTime())))
  const paragraphs = [
    `${who} of the team ${team} ${verb} to send ${emails}. Nothing is sent until somebody approves it.`,
    ...(facts.length > 0 ? [facts.join('\n')] : []),
    ...(lines.length > 0
      ? [[...lines, ...(left > 0 ? [`… and ${left} more`] : [])].map((line) => `- ${line}`).join('\n')]
      : []),
  ]
  const beyond =
    count > mail.length
      ? `The links are about the first ${mail.length}. The others are in the dashboard: ${notice.dashboardUrl}`
      : null
  const foot = `What nobody has approved by ${ends.toISOString().slice(0, 16).replace('T', ' ')} UTC is canceled. Whoever has these links can decide, so do not forward this email.`
  const acts = [
    { act: count === 1 ? 'Review and approve' : 'Review and approve all', url: notice.approveUrl },
    { act: count === 1 ? 'Refuse' : 'Refuse all', url: notice.refuseUrl },
  ]
  return {
    subject: `Approve ${emails} of ${team}?`,
    text: [
      ...paragraphs,
      acts.map(({ act, url }) => `${act}: ${url}`).join('\n'),
      ...(beyond ? [beyond] : []),
      foot,
    ].join('\n\n'),
    html: htmlOf({ paragraphs, acts, after: [...(beyond ? [beyond] : []), foot] }),
  }
}

/** What is its own about one of them: who gets it comes first, and nothing else can push it out. */
function lineOf(one: NoticedApproval, alike: ReturnType<typeof sharedFieldsOf>): string {
  return (
    [
      ...(alike.recipients === null ? [`to ${recipientWords(one)}`] : []),
      ...(alike.subject === null ? [textOf(one.subject) || '(no subject)'] : []),
      ...(alike.from === null ? [`from ${addressIn(one.from)}`] : []),
      ...(alike.holder === null ? [textOf(holderWords(one))] : []),
    ].join(' · ') || recipientWords(one)
  )
}

const BUTTON =
  'display: inline-block; margin: 0 8px 8px 0; padding: 10px 18px; border-radius: 6px; text-decoration: none; border: 1px solid #1a1a1a'
const LOOKS = [`${BUTTON}; background: #1a1a1a; color: #ffffff`, `${BUTTON}; color: #1a1a1a`]

function htmlOf({
  paragraphs,
  acts,
  after,
}: {
  readonly paragraphs: readonly string[]
  readonly acts: readonly { readonly act: string; readonly url: string }[]
  readonly after: readonly string[]
}): string {
  const paragraph = (text: string, style: string) =>
    `<p style="${style}">${escapeHtml(text).replaceAll('\n', '<br>')}</p>`
  const links = acts.map(
    ({ act, url }, index) => `<a href="${escapeHtml(url)}" style="${LOOKS[index]}">${escapeHtml(act)}</a>`,
  )
  return `<div style="font: 16px/1.5 system-ui, sans-serif; max-width: 36em; color: #1a1a1a">
${paragraphs.map((text) => paragraph(text, 'margin: 0 0 16px')).join('\n')}
<p style="margin: 24px 0">${links.join('')}</p>
${after.map((text) => paragraph(text, 'margin: 0 0 8px; font-size: 14px; color: #666666')).join('\n')}
</div>`
}
