import type { Scenarios } from '../laboratory/scenarios.ts'
import { webhookFaults } from '../laboratory/webhook-faults.ts'
import type { Clock } from '../platform/clock.ts'
import { allowsPrivateAddresses, type Config } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { OutgoingHttp } from '../platform/outgoing-http/outgoing-http.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { Http } from '../webhooks/attempt.ts'
import { type WebhookParts, WebhookWorker } from '../webhooks/worker.ts'

export interface WebhooksParts {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
  readonly sealer: Sealer
  readonly teamStates: WebhookParts['teamStates']
  readonly scenarios: Scenarios
}

/** What tests put in the place of the network. */
export interface WebhookSeams {
  readonly http?: Http
}

/** Endpoints often share a host, and each of them is held to a bound of its own. */
const CONNECTIONS_PER_HOST = 100

export function createWebhooks(parts: WebhooksParts, seams: WebhookSeams = {}): WebhookWorker {
  const { db, clock, config, log, metrics, sealer, teamStates } = parts
  const http =
    seams.http ??
    new OutgoingHttp({
      allowPrivateAddresses: allowsPrivateAddresses(config),
      connectionsPerHost: CONNECTIONS_PER_HOST,
    })
  const observe: NonNullable<WebhookParts['observe']> = (outcome) => metrics.countWebhook(outcome)
  const faults = webhookFaults(db, parts.scenarios)
  return new WebhookWorker({ db, clock, log, sealer, http, teamStates, observe, faults })
}
