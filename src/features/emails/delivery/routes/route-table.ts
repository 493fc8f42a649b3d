import type { RouteDefinition, RouteTable } from '../../../../mail/routes/routes.ts'
import type { Config } from '../../../../platform/settings/config.ts'

export type RouteConfig = Pick<Config, 'DELIVERY' | 'ROUTES' | 'RELAY_URL' | 'RELAY_CONNECTIONS'>

/** The routes of an installation: those of its file, or else the one that its mode is. None where nothing leaves. */
export function routeTableOf(config: RouteConfig): RouteTable {
  if (config.DELIVERY === 'inbox') return { routes: [], rules: [] }
  if (config.ROUTES) return config.ROUTES
  return { routes: [onlyRoute(config)], rules: [] }
}

const onlyRoute = ({ DELIVERY, RELAY_URL, RELAY_CONNECTIONS }: RouteConfig): RouteDefinition =>
  DELIVERY === 'relay'
    ? { kind: 'relay', name: 'relay', url: RELAY_URL!, connections: RELAY_CONNECTIONS }
    : { kind: 'direct', name: 'direct' }
