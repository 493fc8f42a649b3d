import type { Database } from '../kernel/db/database.ts'
import type { DueMoments } from '../kernel/db/due-moments.ts'
import type { Endpoint } from '../kernel/http/endpoint.ts'
import type { PublicRoute } from '../kernel/http/public-route.ts'
import type { Job } from '../kernel/jobs/job.ts'
import type { Retention } from '../kernel/jobs/retention.ts'
import type { PendingEvents } from '../kernel/outbox/pending-events.ts'
import type { SealedColumn } from '../kernel/sealed-columns.ts'
import type { QueueState } from '../platform/observability/metrics.ts'
import type { DeliverySeams } from './emails/worker.ts'
import type { InboxHooks } from './inboxes/filing/inbox-hooks.ts'
import type { Services } from './services.ts'
import type { WebhookSeams } from './webhooks/worker.ts'

/** What works by itself in a process. */
export interface Worker {
  start(): Promise<void>
  /** Begins nothing more, and finishes or releases what is in flight. */
  stop(graceMs: number): Promise<void>
  /** Works until nothing is due, then returns. */
  runDue(): Promise<void>
}

/** What tests put in the place of the network. */
export interface WorkerSeams extends DeliverySeams, WebhookSeams {}

export interface WorkerDefinition {
  readonly name: string
  /** Processes with this role run it. */
  readonly role: 'jobs' | 'delivery'
  /** While everything is held back on purpose (`POSTWREN_HOLD`), it is not started. */
  readonly isHoldable: boolean
  create(services: Services, seams: WorkerSeams): Worker
}

/** A queue in the metrics of every process, whatever its roles: one that nobody works off has to be seen as well. */
export interface QueueDefinition {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  read(db: Database): Promise<readonly QueueState<string>[]>
}

export interface SubscriptionDefinition {
  readonly subscription: PendingEvents
  /** Whether dealing with its events can make something due. Whoever advances the clock of a sandbox waits for those that can. */
  readonly mayMakeDue: boolean
}

/**
 * What kind of time is in which column of a table that has rows of teams. `src/features/features.test.ts` walks through the schema.
 * - team: what the people of the team see, `clock.of(team).now()`. It needs nothing when a clock is moved: how long something is kept or
 *   valid is compared with the time of the team, too.
 * - due: when somebody takes it up, `clock.of(team).toReal(…)`. It is moved with the clock of a sandbox (`dueMoments`).
 * - real: what happens between servers and processes, who is signed in, what belongs to the installation. No clock moves it.
 */
export interface TableTimes {
  readonly table: string
  readonly team?: readonly string[]
  readonly due?: readonly string[]
  readonly real?: readonly string[]
}

/** Whose answers an open dashboard reads again after an event: `npm run docs` writes it down for the browser. */
export interface LiveUpdate {
  /** Types of events. */
  readonly events: RegExp
  /** Endpoints, or how their ids begin. */
  readonly endpoints: readonly string[]
}

/** What a feature adds to the program. The composition root, the jobs, the metrics, the documentation and the test harness fold over all of them. */
export interface Feature {
  /** Operations of the API. */
  readonly endpoints: readonly Endpoint<Services>[]
  /** What people open without a key. */
  readonly publicRoutes: readonly PublicRoute<Services>[]
  /** What is done in the background. */
  readonly jobs: readonly Job<object, Services>[]
  /** Jobs that delete what is past its time; by the time of its team, if that has a clock of its own. */
  readonly retention: readonly Retention[]
  readonly workers: readonly WorkerDefinition[]
  readonly queues: readonly QueueDefinition[]
  /** Its lists of events in the outbox. */
  readonly subscriptions: readonly SubscriptionDefinition[]
  /** Where its tables say when something is due: what the clocks of sandboxes move. */
  readonly dueMoments: readonly DueMoments[]
  /** The kinds of time in its tables. */
  readonly times: readonly TableTimes[]
  readonly liveUpdates: readonly LiveUpdate[]
  readonly inboxHooks: readonly InboxHooks[]
  /** What it keeps sealed with the secret key: sealed anew when the key changes. */
  readonly sealedColumns: readonly SealedColumn[]
}

/** All of them as one. */
export const combine = (features: readonly Feature[]): Feature => ({
  endpoints: features.flatMap(({ endpoints }) => endpoints),
  publicRoutes: features.flatMap(({ publicRoutes }) => publicRoutes),
  jobs: features.flatMap(({ jobs }) => jobs),
  retention: features.flatMap(({ retention }) => retention),
  workers: features.flatMap(({ workers }) => workers),
  queues: features.flatMap(({ queues }) => queues),
  subscriptions: features.flatMap(({ subscriptions }) => subscriptions),
  dueMoments: features.flatMap(({ dueMoments }) => dueMoments),
  times: features.flatMap(({ times }) => times),
  liveUpdates: features.flatMap(({ liveUpdates }) => liveUpdates),
  inboxHooks: features.flatMap(({ inboxHooks }) => inboxHooks),
  sealedColumns: features.flatMap(({ sealedColumns }) => sealedColumns),
})

/** Everything that is done in the background. */
export const jobsOf = ({ jobs, retention }: Feature): readonly Job<object, Services>[] => [...jobs, ...retention]

const NOTHING = combine([])

/** Keeps the types of the endpoints, which programs that call them are checked by. */
export const feature = <const Endpoints extends readonly Endpoint<Services>[] = []>(
  definition: Partial<Omit<Feature, 'endpoints'>> & { readonly endpoints?: Endpoints },
): Feature & { readonly endpoints: Endpoints } => ({
  ...NOTHING,
  ...definition,
  endpoints: definition.endpoints ?? ([] as unknown as Endpoints),
})

/** Of a queue without labels. */
export const unlabelled =
  <State extends { readonly oldestDueSeconds: number }>(read: (db: Database) => Promise<State>) =>
  async (db: Database) => [queueState(await read(db), {})]

export function queueState(
  { oldestDueSeconds, ...counts }: { readonly oldestDueSeconds: number },
  labels: Record<string, string>,
): QueueState<string> {
  return { labels, counts, oldestDueSeconds }
}
