import { type Brand, noticePage, publicPage } from '../../kernel/http/public-page.ts'
import type { PublicAnswer } from '../../kernel/http/public-route.ts'
import { escapeHtml } from '../../mail/html.ts'
import type { Preferences, TopicPreference } from '../contacts/reads.ts'
import type { UnsubscribeLink } from '../emails/delivery/message/unsubscribe-link.ts'

// Where the unsubscribe link of a mail leads. Works without JavaScript.

/** Who the mails are from: the team, and the sender of the mail that the link was in, as long as that is kept. */
export interface Sender {
  readonly brand: Brand
  readonly from: string | null
}

export const gone = () =>
  noticePage({ status: 404, title: 'This link is not valid', text: 'It may be incomplete, or no longer in use.' })

interface Look {
  readonly topic?: { readonly id: string; readonly name: string }
  readonly isPrimary?: boolean
}

/** A choice with one click. The label says which topic it is about for those who cannot see what it stands beside. */
function button(choice: string, label: string, { topic, isPrimary = false }: Look = {}): string {
  const field = topic ? `<input type="hidden" name="topic" value="${escapeHtml(topic.id)}">` : ''
  const name = topic ? ` aria-label="${escapeHtml(`${label}: ${topic.name}`)}"` : ''
  return `<form method="post"><input type="hidden" name="choice" value="${choice}">${field}<button${isPrimary ? ' class="primary"' : ''}${name}>${escapeHtml(label)}</button></form>`
}

export function show(
  { recipient, topicId }: UnsubscribeLink,
  { topics, isUnsubscribedFromAll }: Preferences,
  sender: Sender,
): PublicAnswer {
  const own = topics.find(({ id }) => id === topicId)
  const others = topics.filter(({ id }) => id !== topicId)
  const isOut = own ? !own.isSubscribed : isUnsubscribedFromAll
  const all = isUnsubscribedFromAll
    ? button('again', 'Resubscribe')
    : button('all', 'Unsubscribe from all emails', { isPrimary: !own })
  const list = others.length > 0 ? `<h2>More topics</h2><ul>${others.map(item).join('')}</ul>` : ''
  return publicPage({
    title: isOut ? 'You are unsubscribed' : 'Unsubscribe',
    sender: sender.brand,
    policy: "form-action 'self'",
    body: `<p>${stateOf(recipient, own, sender)}</p>
      ${isUnsubscribedFromAll ? '<p>You are unsubscribed from all emails.</p>' : ''}
      <div class="choices">${own ? choiceOf(own) : ''}${all}</div>
      ${list}`,
    ...(sender.from !== null && { footer: `The email was sent by ${escapeHtml(sender.from)}.` }),
  })
}

function stateOf(recipient: string, topic: TopicPreference | undefined, { brand }: Sender): string {
  const strong = (text: string) => `<strong>${escapeHtml(text)}</strong>`
  if (!topic) return `Email preferences of ${strong(recipient)} for emails from ${strong(brand.name)}.`
  const verb = topic.isSubscribed ? 'is subscribed to' : 'is unsubscribed from'
  return `${strong(recipient)} ${verb} ${strong(topic.name)}.`
}

const choiceOf = (topic: TopicPreference) =>
  topic.isSubscribed ? button('out', 'Unsubscribe', { topic, isPrimary: true }) : button('in', 'Resubscribe', { topic })

const item = (topic: TopicPreference) => `<li>
  <p><strong>${escapeHtml(topic.name)}</strong>${topic.description ? `<br><small>${escapeHtml(topic.description)}</small>` : ''}</p>
  ${topic.isSubscribed ? button('out', 'Unsubscribe', { topic }) : button('in', 'Subscribe', { topic })}
</li>`
