import type { MailExchanger } from '../../../../adapters/dns/mail-exchanger.ts'
import type { Resolver } from '../../../../adapters/dns/resolver.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import { toAsciiDomain } from '../../../../mail/address.ts'
import { routesFor } from '../../../../mail/routes/routes.ts'
import { poolFor } from '../../../../mail/sources/sources.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import type { Config } from '../../../../platform/settings/config.ts'
import { ceilingTableOf } from '../pace/ceiling-table.ts'
import { sourceIdentity } from '../pace/identity.ts'
import { findRoutes } from '../routes/route-store.ts'
import { routeTableOf } from '../routes/route-table.ts'
import { queueOfRoute, resolverOfRoute } from '../routes/route-transports.ts'
import { directResolver, exchangerOf } from '../transport/destination-resolvers.ts'
import { type Choice, type ExplainedMail, type ExplainParts, type Explanation, explainMail } from './explain.ts'

interface ExplainServices {
  readonly db: Database
  readonly config: Config
  readonly log: Log
  readonly resolver: Resolver
  readonly tlsPolicies: NonNullable<ExplainParts['policies']>
}

/** What happens to mail for a domain, as the settings of this process have it. Null: nothing leaves this machine. */
export async function explainDomain(services: ExplainServices, mail: ExplainedMail): Promise<Explanation | null> {
  const { db, config, log } = services
  const exchanger = exchangerOf(services)
  const table = routeTableOf(config)
  const names = await routesOf(services, mail, exchanger)
  const route = table.routes.find(({ name }) => name === names[0])
  if (!route) return null
  // Who only looks has seen nothing that a domain should be told.
  const policies = { find: (domain: string) => services.tlsPolicies.find(domain), observe() {} }
  const hasPolicies = route.kind === 'direct' && config.MTA_STS !== 'off'
  const queue = queueOfRoute(table, route)
  const isOurs = table.routes.length === 1 || route.kind === 'direct'
  const sources = isOurs && (route.kind === 'direct' || route.kind === 'relay') ? sourcesOf(config, mail) : []
  return explainMail(
    {
      db,
      router: resolverOfRoute(route, queue, {
        clock: db.clock,
        connections: config.RELAY_CONNECTIONS,
        directResolver: () => directResolver(exchanger, hasPolicies ? policies : null),
      }),
      exchanger: route.kind === 'direct' ? exchanger : null,
      policies: hasPolicies ? policies : null,
      ceilings: ceilingTableOf(db, { log, config }),
      source: isOurs
        ? (sources[0]?.identity ?? sourceIdentity(config.SOURCE_ADDRESS))
        : { source: queue, netblock: queue },
      routes: await described(services, names),
      sources,
    },
    mail,
  )
}

/** As the rules have it, for a single email without tags. */
const routesOf = async ({ config }: ExplainServices, mail: ExplainedMail, exchanger: MailExchanger) => {
  const domain = toAsciiDomain(mail.domain)
  const provider = async () => {
    const found = await exchanger.hostsFor(domain)
    return found.kind === 'found' ? found.provider : null
  }
  const of = {
    team: mail.team ?? '',
    fromDomain: mail.from ?? '',
    domain,
    tags: [],
    stream: 'single',
    provider,
  } as const
  return routesFor(routeTableOf(config), of, 0)
}

/** With whether each can be taken now. */
async function described({ db, config }: ExplainServices, names: readonly string[]): Promise<Choice[]> {
  const kept = await findRoutes(db)
  const by = config.ROUTES ? 'POSTWREN_ROUTES' : 'POSTWREN_DELIVERY'
  return names.map((name) => {
    const { breaker, fault, hold } = kept.find((one) => one.name === name) ?? {}
    const state = hold
      ? `held by an operator since ${hold.at.toISOString()}${hold.reason ? `: ${hold.reason}` : ''}`
      : breaker?.state === 'open'
        ? `does not work since ${new Date(breaker.since).toISOString()}${fault ? `: ${fault.reply}` : ''}`
        : null
    return { name, why: state === null ? by : `${by}; ${state}` }
  })
}

/** The pool of the mail, those that take most of it first. */
function sourcesOf({ SOURCES }: Config, { team = '', from = '' }: ExplainedMail) {
  if (!SOURCES) return []
  const pool = poolFor(SOURCES, { team, domain: from, stream: 'single', tags: [] })
  return [...pool.members]
    .sort((a, b) => b.weight - a.weight)
    .map(({ source: name, weight }) => {
      const { addresses } = SOURCES.sources.find((source) => source.name === name)!
      const shown = [addresses.v4, addresses.v6].filter((address) => address !== undefined).join(', ')
      return { name, identity: sourceIdentity(addresses), why: `${shown}; pool ${pool.name}, weight ${weight}` }
    })
}
