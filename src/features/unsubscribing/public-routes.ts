import { findPreferences, type Preferences } from '../contacts/reads.ts'
import { publicRoute } from '../definitions.ts'
import {
  readUnsubscribeLink,
  UNSUBSCRIBE_PATH,
  type UnsubscribeLink,
} from '../emails/delivery/message/unsubscribe-link.ts'
import { chooseTopic, subscribeAgain, unsubscribeFromAll, unsubscribeWithOneClick } from './actions.ts'
import { gone, show } from './page.ts'
import type { UnsubscribingServices } from './services.ts'

// Opening the link changes nothing, because scanners open every link; only a button does, or the one-click POST of a mail program
// (RFC 8058).

export const unsubscribeRoutes = [
  publicRoute<{ token: string }>({
    route: `GET ${UNSUBSCRIBE_PATH}/:token`,
    async run({ params, services: { db, links, clock } }) {
      const link = readUnsubscribeLink(links, params.token, clock.now())
      const preferences = link && (await findPreferences(await db.forTeam(link.team), link))
      return preferences ? show(link, preferences) : gone()
    },
  }),
  publicRoute<{ token: string }>({
    route: `POST ${UNSUBSCRIBE_PATH}/:token`,
    async run({ params, form, services: { db, links, clock } }) {
      const link = readUnsubscribeLink(links, params.token, clock.now())
      if (!link) return gone()
      const services = { db: await db.forTeam(link.team) }
      const before = await findPreferences(services.db, link)
      if (!before) return gone()
      await savePreferences(services, link, form, before)
      const after = await findPreferences(services.db, link)
      return after ? show(link, after) : gone()
    },
  }),
]

async function savePreferences(
  services: UnsubscribingServices,
  link: UnsubscribeLink,
  form: URLSearchParams,
  { topics }: Preferences,
) {
  const choice = form.get('choice')
  if (choice === null) return services.db.transaction((trx) => unsubscribeWithOneClick(trx, link))
  if (choice === 'all') return unsubscribeFromAll(services, link)
  if (choice === 'again') return subscribeAgain(services, link)
  const wanted = form.get('topic') ?? link.topicId
  if (!topics.some(({ id }) => id === wanted)) return
  await chooseTopic(services, link, { topicId: wanted!, subscription: choice === 'in' ? 'opt_in' : 'opt_out' })
}
