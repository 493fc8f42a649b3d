import type { Queryable } from '../../../../kernel/db/database.ts'
import type { RouteDefinition, RouteKind } from '../../../../mail/routes/routes.ts'
import { findRoutes, type RouteFault } from './route-store.ts'
import { type RouteConfig, routeTableOf } from './route-table.ts'

/** A route as operators see it: without its secrets. */
export interface ListedRoute {
  readonly name: string
  readonly kind: RouteKind
  /** The server or service; null: the recipients' own. */
  readonly host: string | null
  /** `down`: it took no mail when it was asked last. `held`: an operator has taken it out of use. */
  readonly state: 'up' | 'down' | 'held'
  /** Null: it never had a fault. */
  readonly since: Date | null
  /** Of one that is down: when the next mail is let through. */
  readonly retryAt: Date | null
  /** The last one, however long ago. */
  readonly fault: { readonly fault: RouteFault; readonly reply: string; readonly at: Date } | null
  readonly holdReason: string | null
}

/** The routes of an installation, in their order, with how they are. None where nothing leaves. */
export async function listRoutes(db: Queryable, config: RouteConfig): Promise<ListedRoute[]> {
  const { routes } = routeTableOf(config)
  if (routes.length === 0) return []
  const kept = new Map((await findRoutes(db)).map((route) => [route.name, route]))
  return routes.map((route) => {
    const known = kept.get(route.name)
    const isOpen = known?.breaker.state === 'open'
    return {
      name: route.name,
      kind: route.kind,
      host: hostOf(route),
      state: known?.hold ? 'held' : isOpen ? 'down' : 'up',
      since: known ? (known.hold?.at ?? new Date(known.breaker.since)) : null,
      retryAt: known && isOpen ? new Date(known.breaker.retryAt) : null,
      fault: known?.fault ?? null,
      holdReason: known?.hold?.reason ?? null,
    }
  })
}

/** Where a route leads to, for people. */
export function hostOf(route: RouteDefinition): string | null {
  switch (route.kind) {
    case 'direct':
      return null
    case 'ses':
      return route.endpoint ? new URL(route.endpoint).host : `email.${route.region}.amazonaws.com`
    default:
      return new URL(route.url).host
  }
}
