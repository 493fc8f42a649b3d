import type { Static } from 'typebox'
import { publicPage } from '../../http/public-page.ts'
import type { PublicAnswer } from '../../http/public-route.ts'
import { escapeHtml } from '../../mail/html.ts'
import type { Email } from './schema.ts'

const STYLE = `main { margin: 0 auto; max-width: 48rem; padding: 1rem }
      dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; opacity: .8 }
      dd { margin: 0; overflow-wrap: anywhere }
      iframe { width: 100%; height: 75vh; border: 1px solid #8884; border-radius: .5rem; background: #fff }`

/**
 * An email for somebody who has the link. Its html is shown in a frame that can run nothing, open nothing and fetch nothing: the
 * frame is sandboxed, and the policy of this page allows neither scripts nor other hosts.
 */
export function sharedPage(email: Static<typeof Email>): PublicAnswer {
  const content =
    email.html ?? `<pre style="white-space: pre-wrap; font: inherit">${escapeHtml(email.text ?? '')}</pre>`
  return publicPage({
    title: email.subject,
    policy: "img-src data:; frame-src 'self'; form-action 'none'",
    style: STYLE,
    body: `<dl>
      <dt>From</dt><dd>${escapeHtml(email.from)}</dd>
      <dt>To</dt><dd>${escapeHtml(email.to.join(', '))}</dd>
      <dt>Sent</dt><dd>${escapeHtml(email.created_at)}</dd>
    </dl>
    <iframe sandbox="" title="The email" srcdoc="${escapeHtml(content)}"></iframe>`,
  })
}
