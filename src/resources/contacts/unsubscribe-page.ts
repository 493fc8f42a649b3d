import { escapeHtml } from '../../http/html.ts'
import { type PublicAnswer, type PublicContext, publicRoute } from '../../http/public-route.ts'
import { chooseTopic, findSubscription, unsubscribeFromAll, type Wish } from './unsubscribe.ts'

// Where the unsubscribe link of a mail leads. Opening it changes nothing, because scanners open every link; only a button does, or
// the one-click POST of a mail program (RFC 8058). Works without JavaScript.

const page = (status: number, title: string, content: string): PublicAnswer => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'cache-control': 'no-store',
  },
  body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <style>
      :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
      main { margin: 10vh auto; max-width: 32rem; padding: 1rem }
      form { display: flex; flex-wrap: wrap; gap: .5rem }
      button { font: inherit; padding: .5rem 1rem; border-radius: .5rem; border: 1px solid #8888; cursor: pointer }
    </style>
  </head>
  <body><main>
    <h1>${escapeHtml(title)}</h1>
    ${content}
  </main></body>
</html>
`,
})

const gone = () => page(404, 'This link is not valid', '<p>It may have been cut when it was copied.</p>')

const button = (choice: string, label: string) =>
  `<form method="post"><input type="hidden" name="choice" value="${choice}"><button>${escapeHtml(label)}</button></form>`

function readWish(token: string, { links, now }: { links: PublicContext['mail']['links']; now: Date }): Wish | null {
  const link = links.read('unsubscribe', token, now)
  return link && { team: link.team!, email: link.to!, topicId: link.topic!, emailId: link.email! }
}

async function show({ db }: PublicContext, wish: Wish): Promise<PublicAnswer> {
  const found = await findSubscription(db, wish)
  if (!found) return gone()
  const address = `<strong>${escapeHtml(wish.email)}</strong>`
  const topic = `<strong>${escapeHtml(found.topic)}</strong>`
  const all = found.isUnsubscribedFromAll
    ? '<p>You are unsubscribed from all mailings.</p>'
    : button('all', 'Unsubscribe from all mailings')
  if (!found.isSubscribed)
    return page(
      200,
      'You are unsubscribed',
      `<p>${address} gets no more mail about ${topic}.</p>${button('in', 'Subscribe again')}${all}`,
    )
  return page(200, 'Unsubscribe', `<p>${address} gets mail about ${topic}.</p>${button('out', 'Unsubscribe')}${all}`)
}

export const unsubscribeRoutes = [
  publicRoute<{ token: string }>({
    route: 'GET /unsubscribe/:token',
    async run({ params, context }) {
      const wish = readWish(params.token, { links: context.mail.links, now: context.clock.now() })
      return wish ? show(context, wish) : gone()
    },
  }),
  publicRoute<{ token: string }>({
    route: 'POST /unsubscribe/:token',
    async run({ params, form, context }) {
      const wish = readWish(params.token, { links: context.mail.links, now: context.clock.now() })
      if (!wish || !(await findSubscription(context.db, wish))) return gone()
      const choice = form.get('choice') ?? 'out'
      if (choice === 'all') await unsubscribeFromAll(context.db, wish)
      else await chooseTopic(context.db, wish, choice === 'in' ? 'opt_in' : 'opt_out')
      return show(context, wish)
    },
  }),
]
