import { OutgoingHttp } from '../../adapters/outgoing-http/outgoing-http.ts'
import type { Database } from '../../kernel/db/database.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/observability/log.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'
import { allowsPrivateAddresses, type Config } from '../../platform/settings/config.ts'
import type { Scenarios } from '../sandboxes/simulation/scenarios.ts'
import { webhookFaults } from '../sandboxes/simulation/webhook-faults.ts'
import type { Http } from './delivery/attempt.ts'
import { type WebhookParts, WebhookWorker } from './delivery/worker.ts'

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
