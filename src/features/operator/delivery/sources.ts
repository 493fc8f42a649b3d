import type { Static } from 'typebox'
import { annotateAudit } from '../../../kernel/audit/annotations.ts'
import { type Actor, loggedActor } from '../../../kernel/http/actor.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { isDomain, toAsciiDomain } from '../../../mail/address.ts'
import { type ListedWarmUp, listSources, listWarmUpsOfDomains } from '../../emails/delivery/sources/list.ts'
import { logTeamOf } from '../own-team.ts'
import type { OperatorServices } from '../services.ts'
import { finishWarmUpIn, restartWarmUpIn, type SteeredWarmUp } from '../sources.ts'
import type { DeliverySources, SteeredWarmUp as SteeredReply, SteerWarmUp } from './routes-and-sources/schema.ts'

/** The addresses that mail leaves from, and how far each is known. None where the system chooses. */
export async function deliverySources({ db, config }: OperatorServices): Promise<Static<typeof DeliverySources>> {
  if (!config.SOURCES) return { object: 'delivery_sources', data: [], domains: [] }
  const sources = await listSources(db, config.SOURCES)
  const domains = await listWarmUpsOfDomains(db)
  return {
    object: 'delivery_sources',
    data: sources.map(({ name, address, ehlo, pools, processes, warmsUp, warmUps, pauses }) => ({
      ...{ name, address, ehlo, pools: [...pools], processes, warms_up: warmsUp, warm_ups: warmUps.map(shown) },
      pauses: pauses.map(({ destination, pausedUntil, reply }) => ({
        ...{ destination, paused_until: pausedUntil.toISOString(), reply },
      })),
    })),
    domains: domains
      .slice(0, MAX_DOMAINS)
      .map(({ domain, warmUps }) => ({ name: domain, warm_ups: warmUps.map(shown) })),
  }
}

/** More than anybody reads. */
const MAX_DOMAINS = 200

const shown = ({ provider, day, sentToday, allowance, deferredToday, isBlocked, isFinished }: ListedWarmUp) => ({
  ...{ provider, day, sent_today: sentToday, allowance, deferred_today: deferredToday },
  ...{ is_blocked: isBlocked, is_finished: isFinished },
})

const STEER = { restart: restartWarmUpIn, finish: finishWarmUpIn } as const

/** Begins a warm-up anew, or ends it: at one provider or at all. */
export const steeringWarmUp =
  (act: keyof typeof STEER) =>
  async ({ services, actor, body }: Steered): Promise<Static<typeof SteeredReply>> => {
    const { reason, ...named } = body
    const warmUp = warmUpOf(services.config, named)
    const { kind, identity, provider } = warmUp
    await services.db.transaction(async (trx) => {
      annotateAudit(trx, { team: await logTeamOf(trx, services, actor), details: body })
      await STEER[act](trx, { ...loggedActor(actor), name: actor.name ?? null }, { ...warmUp, reason })
    })
    return { object: 'warm_up', source: null, domain: null, [kind]: identity, provider }
  }

interface Steered {
  readonly services: OperatorServices
  readonly actor: Actor
  readonly body: Static<typeof SteerWarmUp>
}

function warmUpOf(
  { SOURCES }: OperatorServices['config'],
  { source, domain, provider = null }: Omit<Static<typeof SteerWarmUp>, 'reason'>,
): SteeredWarmUp {
  if (!SOURCES) throw new Problem('validation_error', 'There are no sources: POSTWREN_SOURCES names no file.')
  if ((source === undefined) === (domain === undefined))
    throw new Problem('validation_error', 'Name either a `source` or a `domain`.')
  if (source !== undefined) {
    if (!SOURCES.sources.some(({ name }) => name === source))
      throw new Problem('validation_error', 'Invalid `source` field. There is no such source.')
    return { kind: 'source', identity: source, provider }
  }
  const name = toAsciiDomain(domain!.trim().toLowerCase())
  if (!isDomain(name))
    throw new Problem('validation_error', 'Invalid `domain` field. It must be a domain like example.com.')
  return { kind: 'domain', identity: name, provider }
}
