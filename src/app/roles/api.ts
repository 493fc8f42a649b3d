import type { FastifyInstance } from 'fastify'
import { LogWriter } from '../../features/logs/writer.ts'
import { addOAuth } from '../../features/oauth/routes.ts'
import type { Services } from '../../features/services.ts'
import { addDashboard, type Dashboard } from '../../gateways/dashboard/routes.ts'
import type { Endpoint } from '../../kernel/http/endpoint.ts'
import type { PublicRoute } from '../../kernel/http/public-route.ts'
import { createServer } from '../../kernel/http/server.ts'
import { addSystemRoutes, type Checks } from '../../kernel/http/system.ts'
import type { Siblings } from '../../platform/siblings.ts'
import { GATEWAYS } from './gateways.ts'
import type { ProcessServices } from './services.ts'

export interface ApiParts {
  readonly endpoints: readonly Endpoint<Services>[]
  readonly publicRoutes: readonly PublicRoute<Services>[]
  readonly services: ProcessServices
  readonly version: string
  /** Null: no other process answers on the same port. */
  readonly siblings?: Siblings | null
  readiness(): Promise<Checks>
}

export interface Api {
  readonly app: FastifyInstance
  /** Null in a process without the role `api`. */
  readonly dashboard: Dashboard | null
  /** Writes down what is only in memory yet: log entries, when keys were used, who opened and clicked. */
  flush(): Promise<void>
}

/** The HTTP server with all of its routes. A process without the role `api` gets it without endpoints: health and metrics. */
export function createApi({ endpoints, publicRoutes, services, version, siblings = null, readiness }: ApiParts): Api {
  const { db, log, metrics, lastUsed, visits, tlsReports } = services
  const exchangeLog = new LogWriter(db, log, metrics)
  const app = createServer<ProcessServices>({ endpoints, publicRoutes, services, exchangeLog })
  // Who waits for mail would hold up the stop for as long.
  app.addHook('preClose', async () => services.messageWaits.close())
  app.addHook('onClose', async () => services.release?.close())
  addSystemRoutes(app, { ...services, endpoints, version, readiness })
  const isApi = endpoints.length > 0
  if (isApi) addOAuth(app, { ...services, documents: services.outgoing })
  const dashboard = isApi ? addDashboard(app, { ...services, version, siblings }) : null
  if (isApi) for (const addGateway of GATEWAYS) addGateway(app, { services, endpoints, version })
  return {
    app,
    dashboard,
    flush: async () =>
      void (await Promise.all([exchangeLog.flush(), lastUsed.flush(), visits.flush(), tlsReports.flush()])),
  }
}
