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
import { MAILBOX_DOMAINS } from '../../mail/mailbox-domains.ts'
import type { Siblings } from '../siblings.ts'
import { OPEN_METRICS_TYPE, openMetricsOf } from './open-metrics.ts'
import { ProviderMetrics } from './provider-metrics.ts'
import { Sample } from './sample.ts'
import type { TraceContext } from './tracing.ts'

const DELIVERY_OUTCOMES = ['delivered', 'deferred', 'bounced', 'suppressed', 'failed', 'postponed'] as const
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number]

const WEBHOOK_OUTCOMES = ['delivered', 'retried', 'failed', 'gone'] as const
type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number]

const FETCH_RESULTS = ['fetched', 'failed', 'invalid'] as const
export type FetchResult = (typeof FETCH_RESULTS)[number]

const LOGIN_PROTOCOLS = ['http', 'smtp', 'metrics'] as const
export type LoginProtocol = (typeof LOGIN_PROTOCOLS)[number]
/** No key, one that is not valid, or one that may not do this. */
const LOGIN_REASONS = ['missing', 'invalid', 'restricted'] as const
export type LoginReason = (typeof LOGIN_REASONS)[number]

/** Known: its recipient was found. Otherwise what was missing, see `docs/operations/monitoring.md`. */
const OTHER_PROVIDER = 'other'
/** Nobody was found who complains. */
const UNKNOWN_PROVIDER = 'unknown'
const COMPLAINT_PROVIDERS = [...Object.keys(MAILBOX_DOMAINS), OTHER_PROVIDER]
const COMPLAINT_OUTCOMES = ['matched', 'no_email', 'no_recipient', 'too_large'] as const
export type ComplaintOutcome = (typeof COMPLAINT_OUTCOMES)[number]

/** The words of RFC 8601. A message can say others through its ARC header, and must not make labels of its own. */
const RESULTS = new Set(['none', 'pass', 'fail', 'softfail', 'neutral', 'policy', 'temperror', 'permerror'])

export interface QueueState<Label extends string> {
  readonly labels: Record<Label, string>
  /** By state. */
  readonly counts: Record<string, number>
  readonly oldestDueSeconds: number
}

/** The two texts that Prometheus reads. Only the second has room for exemplars. */
export type MetricsForm = 'text' | 'open metrics'

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
  /** Whether histograms keep the trace of one observation in each bucket. */
  readonly #hasExemplars: boolean
  readonly providers = new ProviderMetrics(this.#registry)
  readonly #requests: Histogram<'endpoint' | 'status'>
  readonly #deliveryTimes: Histogram<'kind'>
  readonly #droppedSpans = new Counter({
    name: 'postwren_trace_spans_dropped_total',
    help: 'Spans that the collector did not take, or that did not fit into the queue.',
    registers: [this.#registry],
  })
  readonly #attemptRecords = new Counter({
    name: 'postwren_attempt_records_total',
    help: 'Records of delivery attempts, by whether POSTWREN_ATTEMPTS took them.',
    labelNames: ['result'] as const,
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
  readonly #complaints = new Counter({
    name: 'postwren_complaints_total',
    help: 'Complaint reports, by whether their recipient was found, and at which provider.',
    labelNames: ['outcome', 'provider'] as const,
    registers: [this.#registry],
  })
  readonly #domainReports = new Counter({
    name: 'postwren_domain_reports_total',
    help: 'DMARC and TLS reports about domains that were received, by outcome.',
    labelNames: ['kind', 'outcome'] as const,
    registers: [this.#registry],
  })
  readonly #refusedLogins = new Counter({
    name: 'postwren_refused_logins_total',
    help: 'Requests and sessions without a valid key, by protocol and reason.',
    labelNames: ['door', 'reason'] as const,
    registers: [this.#registry],
  })

  readonly #policyFetches = new Counter({
    name: 'postwren_mta_sts_fetches_total',
    help: 'MTA-STS policies asked for, by result.',
    labelNames: ['result'] as const,
    registers: [this.#registry],
  })
  readonly #tlsReports = new Counter({
    name: 'postwren_tls_reports_total',
    help: 'TLS reports about other domains, by how they were sent.',
    labelNames: ['result'] as const,
    registers: [this.#registry],
  })
  readonly #tlsSessions = new Counter({
    name: 'postwren_outgoing_tls_total',
    help: 'Sessions with mail servers, by the MTA-STS mode of the recipient domain and how TLS went.',
    labelNames: ['policy', 'result'] as const,
    registers: [this.#registry],
  })

  readonly #routes = new Counter({
    name: 'postwren_route_mail_total',
    help: 'Attempts by route: taken, refused, found the route at fault, or sent without an answer.',
    labelNames: ['route', 'result'] as const,
    registers: [this.#registry],
  })

  constructor(siblings: Siblings | null = null, { hasExemplars = false } = {}) {
    this.#siblings = siblings
    this.#hasExemplars = hasExemplars
    // Registered below: with exemplars the package wants a registry that shows nothing but OpenMetrics.
    const histogram = { registers: [], enableExemplars: hasExemplars }
    this.#requests = new Histogram({
      ...histogram,
      name: 'postwren_http_request_duration_seconds',
      help: 'Duration of requests, by endpoint and status class.',
      labelNames: ['endpoint', 'status'] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    })
    this.#deliveryTimes = new Histogram({
      ...histogram,
      name: 'postwren_delivery_duration_seconds',
      help: 'Time from when an email was accepted, or was to leave, until a recipient was delivered.',
      labelNames: ['kind'] as const,
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120, 600, 3_600, 21_600, 86_400, 259_200],
    })
    this.#registry.registerMetric(this.#requests)
    this.#registry.registerMetric(this.#deliveryTimes)
    if (siblings) {
      this.#registry.setDefaultLabels({ process: String(siblings.number) })
      siblings.answer(QUESTION, () => this.#registry.getMetricsAsJSON())
    }
    collectDefaultMetrics({ register: this.#registry })
    // From the first look on: of a counter that appears with its first event nobody can tell how fast it grew.
    for (const outcome of DELIVERY_OUTCOMES) this.#deliveries.inc({ outcome }, 0)
    for (const result of FETCH_RESULTS) this.#policyFetches.inc({ result }, 0)
    for (const outcome of WEBHOOK_OUTCOMES) this.#webhooks.inc({ outcome }, 0)
    for (const outcome of COMPLAINT_OUTCOMES)
      for (const provider of outcome === 'matched' ? COMPLAINT_PROVIDERS : [UNKNOWN_PROVIDER])
        this.#complaints.inc({ outcome, provider }, 0)
    for (const door of LOGIN_PROTOCOLS) for (const reason of LOGIN_REASONS) this.#refusedLogins.inc({ door, reason }, 0)
  }

  observeRequest(
    { endpoint, status }: { readonly endpoint: string; readonly status: number },
    seconds: number,
    trace?: TraceContext,
  ) {
    this.#observe(this.#requests, { endpoint, status: `${Math.floor(status / 100)}xx` }, { seconds, trace })
  }

  observeDelivery(kind: 'single' | 'broadcast', seconds: number, trace?: TraceContext) {
    this.#observe(this.#deliveryTimes, { kind }, { seconds, trace })
  }

  dropSpans(count: number) {
    this.#droppedSpans.inc(count)
  }

  countAttemptRecords(result: 'taken' | 'dropped', count: number) {
    this.#attemptRecords.inc({ result }, count)
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

  countPolicyFetch(result: FetchResult) {
    this.#policyFetches.inc({ result })
  }

  countTlsReport(result: 'mailed' | 'posted' | 'failed') {
    this.#tlsReports.inc({ result })
  }

  countTls(policy: 'enforce' | 'testing' | 'none', result: string) {
    this.#tlsSessions.inc({ policy, result })
  }

  /** `route`: as POSTWREN_ROUTES names it, of which there are 20 at most. */
  countRoute(route: string, result: 'taken' | 'refused' | 'fault' | 'uncertain') {
    this.#routes.inc({ route, result })
  }

  countMessage(what: 'received' | 'submitted' | 'refused' | 'refused_recipient' | 'withheld') {
    this.#messages.inc({ what })
  }

  countCheck(check: 'spf' | 'dkim' | 'dmarc' | 'arc', result: string) {
    this.#checks.inc({ check, result: RESULTS.has(result) ? result : 'other' })
  }

  /** `provider`: of the mailbox that complains (`mailboxProviderOf`). Null: none that is known. */
  countComplaint(outcome: ComplaintOutcome, provider: string | null) {
    this.#complaints.inc({ outcome, provider: outcome === 'matched' ? (provider ?? OTHER_PROVIDER) : UNKNOWN_PROVIDER })
  }

  countDomainReport(kind: 'dmarc' | 'tls', outcome: 'kept' | 'ignored' | 'unproven' | 'unreadable') {
    this.#domainReports.inc({ kind, outcome })
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

  /** The same of the installation, whichever process is asked. */
  addInstallationGauge<Label extends string>(
    gauge: { name: string; help: string; labelNames: readonly Label[] },
    read: () => Promise<{ labels: Record<Label, string>; value: number }[]>,
  ) {
    this.#addGauge(this.#installation, gauge, read)
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
        // Without labels `reset` leaves a 0 behind, which says something of what is not there.
        if (gauge.labelNames.length === 0) this.remove()
        for (const { labels, value } of values) this.set(labels as never, value)
      },
    })
  }

  /** The form that a request asks for. */
  formOf(accept: string | undefined): MetricsForm {
    return accept?.includes('application/openmetrics-text') ? 'open metrics' : 'text'
  }

  contentTypeOf(form: MetricsForm): string {
    return form === 'text' ? this.#registry.contentType : OPEN_METRICS_TYPE
  }

  /** All metrics as text. */
  async render(form: MetricsForm = 'text'): Promise<string> {
    if (form === 'open metrics') return openMetricsOf(await this.#values())
    const [processes, installation] = await Promise.all([this.#collect(), this.#installation.metrics()])
    return processes + installation
  }

  /** Of all processes, and of the installation. */
  async #values(): Promise<readonly MetricValues[][]> {
    const [own, others, installation] = await Promise.all([
      this.#registry.getMetricsAsJSON(),
      this.#siblings?.ask(QUESTION) ?? [],
      this.#installation.getMetricsAsJSON(),
    ])
    return [own, ...(others as MetricValues[][]), installation]
  }

  #observe<Label extends string>(
    histogram: Histogram<Label>,
    labels: Record<Label, string>,
    { seconds: value, trace }: { readonly seconds: number; readonly trace: TraceContext | undefined },
  ) {
    if (!this.#hasExemplars) return histogram.observe(labels, value)
    const exemplarLabels = trace ? { trace_id: trace.slice(0, 32), span_id: trace.slice(32) } : {}
    // The types want the labels of the histogram here.
    histogram.observe({ labels, value, exemplarLabels: exemplarLabels as never })
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
