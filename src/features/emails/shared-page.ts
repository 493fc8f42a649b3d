import { FRAME_POLICY, MAIL_FRAME, withMail } from '../../kernel/http/mail-frame.ts'
import { type Brand, noticePage, publicPage } from '../../kernel/http/public-page.ts'
import type { PublicAnswer } from '../../kernel/http/public-route.ts'
import { escapeHtml } from '../../mail/html.ts'

/** What is shown of an email, sent or received. */
export interface Shown {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly created_at: string
  readonly html: string | null
  readonly text: string | null
}

/** Of a link that nobody signed, whose time is over, or whose email is deleted. */
export const notShared = () =>
  noticePage({ status: 404, title: 'Email not found', text: 'This link is not valid, or it has expired.' })

/** An email for somebody who has the link. */
export function sharedPage(email: Shown, brand: Brand): PublicAnswer {
  const page = publicPage({
    title: email.subject || '(no subject)',
    sender: brand,
    policy: `${FRAME_POLICY}; form-action 'none'`,
    showsMail: true,
    body: `<dl>
      <dt>From</dt><dd>${escapeHtml(email.from)}</dd>
      <dt>To</dt><dd>${escapeHtml(email.to.join(', '))}</dd>
      <dt>Sent</dt><dd>${escapeHtml(new Date(email.created_at).toUTCString())}</dd>
    </dl>
    ${MAIL_FRAME}`,
    footer: 'Shared by link. Anyone with the link can read this email until the link expires.',
  })
  return withMail(page, email)
}
