import { type RouteConfig, routeTableOf } from '../../../features/emails/delivery/routes/route-table.ts'

/** The routes that mail can take, by the settings. */
export const routeNamesOf = (config: RouteConfig): readonly string[] =>
  routeTableOf(config).routes.map(({ name }) => name)
