import { publicPage } from '../../http/public-page.ts'
import type { PublicAnswer } from '../../http/public-route.ts'
import { escapeHtml } from '../../mail/html.ts'
import { markUnsubscribed } from '../broadcasts/actions.ts'
import { publicRoute } from '../definitions.ts'
import type { Services } from '../services.ts'
import {
  chooseTopic,
  findPreferences,
  type Preferences,
  subscribeAgain,
  type TopicChoice,
  unsubscribeFromAll,
  type Wish,
} from './unsubscribe.ts'

// Where the unsubscribe link of a mail leads. Opening it changes nothing, because scanners open every link; only a button does, or
// the one-click POST of a mail program (RFC 8058). Works without JavaScript.

const STYLE = `main { margin: 10vh auto; max-width: 32rem; padding: 1rem }
      form { display: flex; flex-wrap: wrap; gap: .5rem }
      ul { list-style: none; padding: 0 }
      li { margin: 1rem 0; padding-top: 1rem; border-top: 1px solid #8884 }
      button { font: inherit; padding: .5rem 1rem; border-radius: .5rem; border: 1px solid #8888; cursor: pointer }`

const page = (status: number, title: string, body: string): PublicAnswer =>
  publicPage({ status, title, policy: "form-action 'self'", style: STYLE, body })

const gone = () => page(404, 'This link is not valid', '<p>It may have been cut when it was copied.</p>')

/** A wish with one click. The label says which topic it is about for those who cannot see what it stands beside. */
function button(choice: string, label: string, topic?: { id: string; name: string }): string {
  const field = topic ? `<input type="hidden" name="topic" value="${escapeHtml(topic.id)}">` : ''
  const name = topic ? ` aria-label="${escapeHtml(`${label}: ${topic.name}`)}"` : ''
  return `<form method="post"><input type="hidden" name="choice" value="${choice}">${field}<button${name}>${escapeHtml(label)}</button></form>`
}

function readWish(token: string, { links, clock }: Services): Wish | null {
  const link = links.read('unsubscribe', token, clock.now())
  return link && { team: link.team!, email: link.to!, topicId: link.topic ?? null, emailId: link.email! }
}

function show({ email, topicId }: Wish, { topics, isUnsubscribedFromAll }: Preferences): PublicAnswer {
  const address = `<strong>${escapeHtml(email)}</strong>`
  const own = topics.find(({ id }) => id === topicId)
  const others = topics.filter(({ id }) => id !== topicId)
  const all = isUnsubscribedFromAll
    ? `<p>You are unsubscribed from all mailings.</p>${button('again', 'Subscribe again')}`
    : button('all', 'Unsubscribe from all mailings')
  const list = others.length > 0 ? `<h2>More topics</h2><ul>${others.map(item).join('')}</ul>` : ''
  const isOut = own ? !own.isSubscribed : isUnsubscribedFromAll
  return page(
    200,
    isOut ? 'You are unsubscribed' : 'Unsubscribe',
    `${own ? about(address, own) : `<p>Mail to ${address}.</p>`}${all}${list}`,
  )
}

function about(address: string, topic: TopicChoice): string {
  const name = `<strong>${escapeHtml(topic.name)}</strong>`
  return topic.isSubscribed
    ? `<p>${address} gets mail about ${name}.</p>${button('out', 'Unsubscribe', topic)}`
    : `<p>${address} gets no more mail about ${name}.</p>${button('in', 'Subscribe again', topic)}`
}

const item = (topic: TopicChoice) => `<li>
  <p><strong>${escapeHtml(topic.name)}</strong>${topic.description ? `<br>${escapeHtml(topic.description)}` : ''}</p>
  ${topic.isSubscribed ? button('out', 'Unsubscribe', topic) : button('in', 'Subscribe', topic)}
</li>`

async function obey(services: Services, wish: Wish, form: URLSearchParams, { topics }: Preferences) {
  // A mail program that has one click for everything says nothing but that it was clicked.
  const choice = form.get('choice') ?? (wish.topicId ? 'out' : 'all')
  const wanted = form.get('topic') ?? wish.topicId
  const chosen = topics.filter(({ id }) => id === wanted).map(({ id }) => id)
  const own = wish.topicId ? [wish.topicId] : []
  if (choice === 'all') await unsubscribeFromAll(services.db, wish, own)
  else if (choice === 'again') await subscribeAgain(services.db, wish)
  else if (chosen.length > 0) await chooseTopic(services.db, wish, chosen, choice === 'in' ? 'opt_in' : 'opt_out')
  // Another topic of the page is not what the mail was about.
  const isLeaving = choice === 'all' || (choice === 'out' && wanted === wish.topicId)
  if (isLeaving) await markUnsubscribed(services.db, wish.team, wish.emailId)
}

export const unsubscribeRoutes = [
  publicRoute<{ token: string }>({
    route: 'GET /unsubscribe/:token',
    async run({ params, services }) {
      const wish = readWish(params.token, services)
      const preferences = wish && (await findPreferences(services.db, wish))
      return preferences ? show(wish, preferences) : gone()
    },
  }),
  publicRoute<{ token: string }>({
    route: 'POST /unsubscribe/:token',
    async run({ params, form, services }) {
      const wish = readWish(params.token, services)
      const before = wish && (await findPreferences(services.db, wish))
      if (!before) return gone()
      await obey(services, wish, form, before)
      const after = await findPreferences(services.db, wish)
      return after ? show(wish, after) : gone()
    },
  }),
]
