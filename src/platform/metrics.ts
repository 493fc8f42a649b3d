import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What `/metrics` shows, in Prometheus' text form. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new Histogram({
    name: 'postwren_http_request_duration_seconds',
    help: 'Time to answer a request, by endpoint and class of status.',
    labelNames: ['endpoint', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.#registry],
  })
  readonly #logsLost = new Counter({
    name: 'postwren_request_logs_lost_total',
    help: 'Entries of GET /logs that were dropped because the database was away for too long.',
    registers: [this.#registry],
  })

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
  }

  observeRequest(endpoint: string, status: number, seconds: number) {
    this.#requests.observe({ endpoint, status: `${Math.floor(status / 100)}xx` }, seconds)
  }

  loseLogs(count: number) {
    this.#logsLost.inc(count)
  }

  /** A number that is looked up when somebody asks: one value for each set of labels. */
  addGauge<Label extends string>(
    gauge: { name: string; help: string; labelNames: readonly Label[] },
    read: () => Promise<{ labels: Record<Label, string>; value: number }[]>,
  ) {
    new Gauge({
      ...gauge,
      registers: [this.#registry],
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
  render(): Promise<string> {
    return this.#registry.metrics()
  }
}
