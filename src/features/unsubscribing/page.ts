import { publicPage } from '../../kernel/http/public-page.ts'
import type { PublicAnswer } from '../../kernel/http/public-route.ts'
import { escapeHtml } from '../../mail/html.ts'
import type { Preferences, TopicPreference } from '../contacts/reads.ts'
import type { UnsubscribeLink } from '../emails/delivery/message/unsubscribe-link.ts'

// Where the unsubscribe link of a mail leads. Works without JavaScript.

const STYLE = `main { margin: 10vh auto; max-width: 32rem; padding: 1rem }
      form { display: flex; flex-wrap: wrap; gap: .5rem }
      ul { list-style: none; padding: 0 }
      li { margin: 1rem 0; padding-top: 1rem; border-top: 1px solid #8884 }
      button { font: inherit; padding: .5rem 1rem; border-radius: .5rem; border: 1px solid #8888; cursor: pointer }`

const page = (status: number, title: string, body: string): PublicAnswer =>
  publicPage({ status, title, policy: "form-action 'self'", style: STYLE, body })

export const gone = () => page(404, 'This link is not valid', '<p>It may be incomplete.</p>')

/** A choice with one click. The label says which topic it is about for those who cannot see what it stands beside. */
function button(choice: string, label: string, topic?: { id: string; name: string }): string {
  const field = topic ? `<input type="hidden" name="topic" value="${escapeHtml(topic.id)}">` : ''
  const name = topic ? ` aria-label="${escapeHtml(`${label}: ${topic.name}`)}"` : ''
  return `<form method="post"><input type="hidden" name="choice" value="${choice}">${field}<button${name}>${escapeHtml(label)}</button></form>`
}

export function show(
  { recipient, topicId }: UnsubscribeLink,
  { topics, isUnsubscribedFromAll }: Preferences,
): PublicAnswer {
  const address = `<strong>${escapeHtml(recipient)}</strong>`
  const own = topics.find(({ id }) => id === topicId)
  const others = topics.filter(({ id }) => id !== topicId)
  const all = isUnsubscribedFromAll
    ? `<p>You are unsubscribed from all emails.</p>${button('again', 'Resubscribe')}`
    : button('all', 'Unsubscribe from all emails')
  const list = others.length > 0 ? `<h2>More topics</h2><ul>${others.map(item).join('')}</ul>` : ''
  const isOut = own ? !own.isSubscribed : isUnsubscribedFromAll
  return page(
    200,
    isOut ? 'You are unsubscribed' : 'Unsubscribe',
    `${own ? about(address, own) : `<p>Email preferences of ${address}</p>`}${all}${list}`,
  )
}

function about(address: string, topic: TopicPreference): string {
  const name = `<strong>${escapeHtml(topic.name)}</strong>`
  return topic.isSubscribed
    ? `<p>${address} is subscribed to ${name}.</p>${button('out', 'Unsubscribe', topic)}`
    : `<p>${address} is unsubscribed from ${name}.</p>${button('in', 'Resubscribe', topic)}`
}

const item = (topic: TopicPreference) => `<li>
  <p><strong>${escapeHtml(topic.name)}</strong>${topic.description ? `<br>${escapeHtml(topic.description)}` : ''}</p>
  ${topic.isSubscribed ? button('out', 'Unsubscribe', topic) : button('in', 'Subscribe', topic)}
</li>`
