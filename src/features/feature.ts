import type { Database } from '../kernel/db/database.ts'
import type { Endpoint } from '../kernel/http/endpoint.ts'
import type { PublicRoute } from '../kernel/http/public-route.ts'
import type { Job } from '../kernel/jobs/job.ts'
import type { Retention } from '../kernel/jobs/retention.ts'
import type { QueueState } from '../platform/observability/metrics.ts'
import type { DeliverySeams } from './emails/worker.ts'
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
}

const NOTHING = { endpoints: [], publicRoutes: [], jobs: [], retention: [], workers: [], queues: [] } as const

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
