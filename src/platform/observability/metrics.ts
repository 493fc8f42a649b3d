import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import type { Siblings } from '../siblings.ts'
import { Sample } from './sample.ts'

const DELIVERY_OUTCOMES = ['delivered', 'deferred', 'bounced', 'suppressed', 'failed', 'postponed'] as const
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number]

const WEBHOOK_OUTCOMES = ['delivered', 'retried', 'failed', 'gone'] as const
type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number]

const LOGIN_PROTOCOLS = ['http', 'smtp', 'metrics'] as const
export type LoginProtocol = (typeof LOGIN_PROTOCOLS)[number]
/** No key, one that is not valid, or one that may not do this. */
const LOGIN_REASONS = ['missing', 'invalid', 'restricted'] as const
export type LoginReason = (typeof LOGIN_REASONS)[number]

/** The words of RFC 8601. A message can say others through its ARC header, and must not make labels of its own. */
const RESULTS = new Set(['none', 'pass', 'fail', 'softfail', 'neutral', 'policy', 'temperror', 'permerror'])

export interface QueueState<Label extends string> {
  readonly labels: Record<Label, string>
  /** By state. */
  readonly counts: Record<string, number>
  readonly oldestDueSeconds: number
}

type MetricValues = MetricObjectWithValues<MetricValue<string>>

const QUESTION = 'metrics: collect'

/**
 * What `/metrics` shows, in Prometheus' text form. Where several processes answer on one port, each shows all of them: what is counted in a
 * process has its number as the label `process`, so that the counters of one that was restarted begin anew by themselves. What is read
 * from the database is of the installation and is shown once.
 */
export class Metrics {
  /** Of this process. */
  readonly #registry = new Registry()
  /** Of the installation: whichever process is asked says the same. */
  readonly #installation = new Registry()
  readonly #siblings: Siblings | null
  readonly #requests = new Histogram({
    name: 'postwren_http_request_duration_seconds',
    help: 'Duration of requests, by endpoint and status class.',
    labelNames: ['endpoint', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.#registry],
  })
  readonly #logsLost = new Counter({
    name: 'postwren_request_logs_lost_total',
    help: 'Entries of GET /logs that were dropped because the database was unavailable for too long.',
    registers: [this.#registry],
  })

  readonly #deliveries = new Counter({
    name: 'postwren_delivery_outcomes_total',
    help: 'Recipients by outcome of an attempt; postponed ones were not attempted.',
    labelNames: ['outcome'] as const,
    registers: [this.#registry],
  })
  readonly #webhooks = new Counter({
    name: 'postwren_webhook_outcomes_total',
    help: 'Webhook delivery attempts by outcome.',
    labelNames: ['outcome'] as const,
    registers: [this.#registry],
  })
  readonly #messages = new Counter({
    name: 'postwren_smtp_messages_total',
    help: 'Messages and recipients over SMTP, by outcome.',
    labelNames: ['what'] as const,
    registers: [this.#registry],
  })
  readonly #checks = new Counter({
    name: 'postwren_received_checks_total',
    help: 'SPF, DKIM, DMARC and ARC results of received mail.',
    labelNames: ['check', 'result'] as const,
    registers: [this.#registry],
  })
  readonly #refusedLogins = new Counter({
    name: 'postwren_refused_logins_total',
    help: 'Requests and sessions without a valid key, by protocol and reason.',
    labelNames: ['door', 'reason'] as const,
    registers: [this.#registry],
  })

  constructor(siblings: Siblings | null = null) {
    this.#siblings = siblings
    if (siblings) {
      this.#registry.setDefaultLabels({ process: String(siblings.number) })
      siblings.answer(QUESTION, () => this.#registry.getMetricsAsJSON())
    }
    collectDefaultMetrics({ register: this.#registry })
    // From the first look on: of a counter that appears with its first event nobody can tell how fast it grew.
    for (const outcome of DELIVERY_OUTCOMES) this.#deliveries.inc({ outcome }, 0)
    for (const outcome of WEBHOOK_OUTCOMES) this.#webhooks.inc({ outcome }, 0)
    for (const door of LOGIN_PROTOCOLS) for (const reason of LOGIN_REASONS) this.#refusedLogins.inc({ door, reason }, 0)
  }

  observeRequest(endpoint: string, status: number, seconds: number) {
    this.#requests.observe({ endpoint, status: `${Math.floor(status / 100)}xx` }, seconds)
  }

  loseLogs(count: number) {
    this.#logsLost.inc(count)
  }

  countDelivery(outcome: DeliveryOutcome) {
    this.#deliveries.inc({ outcome })
  }

  countWebhook(outcome: WebhookOutcome) {
    this.#webhooks.inc({ outcome })
  }

  countMessage(what: 'received' | 'submitted' | 'refused' | 'refused_recipient' | 'withheld') {
    this.#messages.inc({ what })
  }

  countCheck(check: 'spf' | 'dkim' | 'dmarc' | 'arc', result: string) {
    this.#checks.inc({ check, result: RESULTS.has(result) ? result : 'other' })
  }

  countRefusedLogin(door: LoginProtocol, reason: LoginReason) {
    this.#refusedLogins.inc({ door, reason })
  }

  /** A queue: how many are in which state, and for how long the oldest has been due. It is looked at when somebody asks. */
  addQueue<Label extends string>(
    queue: { name: string; help: string; labelNames: readonly Label[] },
    read: () => Promise<readonly QueueState<Label>[]>,
  ) {
    const { name, help, labelNames } = queue
    const sample = new Sample(read)
    const states = async () => (await sample.get()) ?? []
    this.#addGauge(
      this.#installation,
      { name, help: `${help}, by state.`, labelNames: [...labelNames, 'state'] },
      async () =>
        (await states()).flatMap(({ labels, counts }) =>
          Object.entries(counts).map(([state, value]) => ({ labels: { ...labels, state }, value })),
        ),
    )
    this.#addGauge(
      this.#installation,
      { name: `${name}_oldest_due_seconds`, help: `${help}: for how long the oldest has been due.`, labelNames },
      async () => (await states()).map(({ labels, oldestDueSeconds }) => ({ labels, value: oldestDueSeconds })),
    )
  }

  /** A number of this process that is looked up when somebody asks: one value for each set of labels. */
  addGauge<Label extends string>(
    gauge: { name: string; help: string; labelNames: readonly Label[] },
    read: () => Promise<{ labels: Record<Label, string>; value: number }[]>,
  ) {
    this.#addGauge(this.#registry, gauge, read)
  }

  #addGauge<Label extends string>(
    registry: Registry,
    gauge: { name: string; help: string; labelNames: readonly Label[] },
    read: () => Promise<{ labels: Record<Label, string>; value: number }[]>,
  ) {
    new Gauge({
      ...gauge,
      registers: [registry],
      async collect() {
        const values = await read().catch(() => [])
        this.reset()
        for (const { labels, value } of values) this.set(labels as never, value)
      },
    })
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** All metrics as text. */
  async render(): Promise<string> {
    const [processes, installation] = await Promise.all([this.#collect(), this.#installation.metrics()])
    return processes + installation
  }

  async #collect(): Promise<string> {
    if (!this.#siblings) return this.#registry.metrics()
    const [own, others] = await Promise.all([this.#registry.getMetricsAsJSON(), this.#siblings.ask(QUESTION)])
    // No two processes have a series in common, so nothing is added up: there is always one value, which is the first.
    const parts = [own, ...(others as MetricValues[][])].map((metrics) =>
      metrics.map((metric) => ({ ...metric, aggregator: 'first' })),
    )
    return AggregatorRegistry.aggregate(parts).metrics()
  }
}
