import type { Static } from 'typebox'
import { annotateAudit } from '../../../kernel/audit/annotations.ts'
import type { AuditActor } from '../../../kernel/audit/record.ts'
import type { Transaction } from '../../../kernel/db/database.ts'
import { type Actor, loggedActor } from '../../../kernel/http/actor.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { listRoutes } from '../../emails/delivery/routes/list-routes.ts'
import { holdRouteIn, releaseRouteIn } from '../../emails/delivery/routes/route-holds.ts'
import { faultInWords } from '../../emails/delivery/routes/route-states.ts'
import { type RouteConfig, routeTableOf } from '../../emails/delivery/routes/route-table.ts'
import { logTeamOf } from '../own-team.ts'
import type { OperatorServices } from '../services.ts'
import type { DeliveryRoutes, HoldRoute, RouteChange } from './routes-and-sources/schema.ts'

/** The ways out, and how each is. Without what they log in with. */
export async function deliveryRoutes({ db, config }: OperatorServices): Promise<Static<typeof DeliveryRoutes>> {
  const routes = await listRoutes(db, config)
  return {
    object: 'delivery_routes',
    data: routes.map(({ name, kind, host, state, since, retryAt, fault, holdReason }) => ({
      ...{ name, kind, host, state, since: isoOf(since), retry_at: isoOf(retryAt), hold_reason: holdReason },
      last_fault: fault && {
        ...{ kind: fault.fault, about: faultInWords(kind, fault), reply: fault.reply, at: fault.at.toISOString() },
      },
    })),
  }
}

const isoOf = (moment: Date | null) => moment?.toISOString() ?? null

/** The name, if there is such a route. */
export function requireRoute(config: RouteConfig, name: string): string {
  const names = routeTableOf(config).routes.map((route) => route.name)
  if (names.includes(name)) return name
  const known = names.length > 0 ? `There are: ${names.join(', ')}.` : 'There are none: nothing leaves.'
  throw new Problem('validation_error', `Invalid \`route\` field. There is no such route. ${known}`)
}

type Body = Static<typeof HoldRoute>
type Change = (trx: Transaction, actor: AuditActor, route: { name: string; reason: string }) => Promise<boolean>

const changing =
  (change: Change) =>
  async (services: OperatorServices, actor: Actor, { route, reason }: Body): Promise<Static<typeof RouteChange>> => {
    const name = requireRoute(services.config, route)
    const isChanged = await services.db.transaction(async (trx) => {
      annotateAudit(trx, { team: await logTeamOf(trx, services, actor), details: { route, reason } })
      return change(trx, { ...loggedActor(actor), name: actor.name ?? null }, { name, reason })
    })
    return { object: 'route_change', route, is_changed: isChanged }
  }

/** Its mail takes the others, or waits. */
export const takeOutOfUse = changing(holdRouteIn)

/** Also one with a fault: it is asked with the next mail. */
export const putIntoUse = changing(releaseRouteIn)
