import { servicesForTeam } from '../../kernel/db/team-services.ts'
import type { PublicAnswer } from '../../kernel/http/public-route.ts'
import { findPreferences, type Preferences } from '../contacts/reads.ts'
import { publicRoute } from '../definitions.ts'
import {
  readUnsubscribeLink,
  UNSUBSCRIBE_PATH,
  type UnsubscribeLink,
} from '../emails/delivery/message/unsubscribe-link.ts'
import { findEmail } from '../emails/reads.ts'
import { brandOf } from '../teams/index.ts'
import { chooseTopic, subscribeAgain, unsubscribeFromAll, unsubscribeWithOneClick } from './actions.ts'
import { gone, type Sender, show } from './page.ts'
import type { UnsubscribingServices } from './services.ts'

// Opening the link changes nothing, because scanners open every link; only a button does, or the one-click POST of a mail program
// (RFC 8058).

export const unsubscribeRoutes = [
  publicRoute<{ token: string }>({
    route: `GET ${UNSUBSCRIBE_PATH}/:token`,
    async run({ params, services }) {
      const link = readUnsubscribeLink(services.links, params.token, services.clock.now())
      return link ? answer(await servicesForTeam(services, link.team), link) : gone()
    },
  }),
  publicRoute<{ token: string }>({
    route: `POST ${UNSUBSCRIBE_PATH}/:token`,
    async run({ params, form, services }) {
      const link = readUnsubscribeLink(services.links, params.token, services.clock.now())
      if (!link) return gone()
      const own = await servicesForTeam(services, link.team)
      const before = await findPreferences(own.db, link)
      if (!before) return gone()
      await savePreferences(own, link, form, before)
      return answer(own, link)
    },
  }),
]

async function answer(services: UnsubscribingServices, link: UnsubscribeLink): Promise<PublicAnswer> {
  const preferences = await findPreferences(services.db, link)
  return preferences ? show(link, preferences, await findSender(services, link)) : gone()
}

async function findSender(services: UnsubscribingServices, { team, emailId }: UnsubscribeLink): Promise<Sender> {
  const [brand, email] = await Promise.all([brandOf(services, team), findEmail(services.db, team, emailId)])
  return { brand, from: email?.from ?? null }
}

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
