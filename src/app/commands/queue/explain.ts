import { createLog } from '../../../platform/observability/log.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { nameServers } from '../../../platform/settings/config.ts'
import { type Command, JSON_FLAG, OperatorError } from '../command.ts'
import { withDatabase } from '../database.ts'
import { requireTeam } from '../teams.ts'
import { domainFlag, requireDomain, whileReadable } from './filter.ts'

/** Somebody waits for it. */
const DNS_LIMITS = { timeoutMs: 3_000, tries: 2 }

export const queueExplain: Command = {
  name: 'queue explain',
  usage: 'DOMAIN [--team T] [--from DOMAIN] [--json]',
  summary:
    'Explain what happens to mail for a domain: mail servers and provider, TLS, ceilings and where each is set, pauses, what waits, and the expected rate',
  options: { team: { type: 'string' }, from: { type: 'string' }, ...JSON_FLAG },
  words: 1,
  async run({ config, words: [given = ''], flags, print }) {
    const domain = requireDomain('DOMAIN', given)
    const from = domainFlag(flags, 'from')
    if (config.DELIVERY === 'inbox')
      throw new OperatorError('Nothing leaves this machine: POSTWREN_DELIVERY is `inbox`. There is nothing to explain.')
    const [{ explainDomain }, { linesOf, jsonOf }] = await Promise.all([
      import('../../../features/emails/delivery/queue/explain-domain.ts'),
      import('./explanation.ts'),
    ])
    await withDatabase(config, async (db) => {
      const team = flags.team === undefined ? undefined : await requireTeam(db, flags.team)
      const services = { db, config, ...(await outsideOf(config, db)) }
      const explanation = (await whileReadable(explainDomain(services, { domain, team, from })))!
      const lines = flags.json
        ? [JSON.stringify(jsonOf(explanation))]
        : linesOf(explanation, { config, now: db.clock.now() })
      for (const line of lines) print(line)
    })
  },
}

/** What a process that delivers asks, and nothing that it counts or reports. */
async function outsideOf(config: Config, db: Parameters<Parameters<typeof withDatabase>[1]>[0]) {
  const [{ createResolver }, { hostAddresses }, { StsPolicies }, { OutgoingHttp }, { allowsPrivateAddresses }] =
    await Promise.all([
      import('../../../adapters/dns/resolver.ts'),
      import('../../../adapters/dns/host-addresses.ts'),
      import('../../../features/tls/policies/policies.ts'),
      import('../../../adapters/outgoing-http/outgoing-http.ts'),
      import('../../../platform/settings/config.ts'),
    ])
  const log = createLog({ level: 'silent', isTerminal: false })
  const resolver = createResolver({ ...nameServers(config), ...DNS_LIMITS })
  const allowPrivateAddresses = allowsPrivateAddresses(config)
  const http = new OutgoingHttp({ allowPrivateAddresses, addressesOf: hostAddresses(resolver) })
  const metrics = { countPolicyFetch() {}, countTls() {} }
  return { log, resolver, tlsPolicies: new StsPolicies({ db, resolver, http, log, metrics }) }
}
