import type { FastifyInstance } from 'fastify'
import { addDashboard, type Dashboard } from '../dashboard/door.ts'
import { Sessions } from '../dashboard/sessions.ts'
import { Authenticator } from '../http/auth.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { PublicRoute } from '../http/public-route.ts'
import { createServer } from '../http/server.ts'
import { addSystemRoutes, type Readiness } from '../http/system.ts'
import type { BlobStore } from '../platform/blobs/blob-store.ts'
import type { Clock } from '../platform/clock.ts'
import { type Config, publicUrl } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Sealer } from '../platform/secrets.ts'
import { LastUsed } from '../resources/api-keys/last-used.ts'
import { keyStore } from '../resources/api-keys/queries.ts'
import { readSchedule } from '../resources/emails/actions.ts'
import { Visits } from '../resources/emails/tracking/visits.ts'
import { LogWriter } from '../resources/logs/writer.ts'
import { createMailRoom } from './mail-room.ts'

export interface ApiParts {
  readonly endpoints: readonly Endpoint[]
  readonly publicRoutes: readonly PublicRoute[]
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
  readonly sealer: Sealer
  readonly blobs: BlobStore
  readonly log: Log
  readonly metrics: Metrics
  readonly version: string
  /** The port that links name: known once it is listened on, when the settings leave it open. */
  port?(): number
  readiness(): Promise<Readiness>
}

export interface Api {
  readonly app: FastifyInstance
  /** Null in a process without the role `api`. */
  readonly dashboard: Dashboard | null
  /** Writes down what is only in memory yet: log entries, when keys were used, who opened and clicked. */
  flush(): Promise<void>
}

/** The HTTP door with everything behind it. A process without the role `api` gets it without endpoints: health and metrics. */
export function createApi(parts: ApiParts): Api {
  const { db, log, metrics } = parts
  const authenticator = new Authenticator(keyStore(db))
  const sessions = new Sessions(parts)
  const lastUsed = new LastUsed(db, log)
  const exchangeLog = new LogWriter(db, log, metrics)
  const { clock, config, sealer, blobs } = parts
  const visits = new Visits(db, log)
  const mail = createMailRoom({ db, config, sealer, blobs, publicUrl: () => publicUrl(config, parts.port?.()) })
  const app = createServer({
    ...parts,
    shared: { db, clock, config, sealer, mail, visits },
    authenticator,
    sessions,
    exchangeLog,
    keyUse: {
      note: (keyId) => lastUsed.note(keyId),
      flush: () => lastUsed.flush(),
      forget() {
        authenticator.forget()
        sessions.forget()
      },
    },
  })
  addSystemRoutes(app, parts)
  const dashboard =
    parts.endpoints.length > 0 ? addDashboard(app, { ...parts, authenticator, sessions, readSchedule }) : null
  return {
    app,
    dashboard,
    flush: async () => void (await Promise.all([exchangeLog.flush(), lastUsed.flush(), visits.flush()])),
  }
}
