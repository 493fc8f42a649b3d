import { Counter, Histogram, type Registry } from 'prom-client'

export type ProviderOutcome = 'delivered' | 'deferred' | 'bounced'

/**
 * What providers answer. `provider` is one of those that the program knows, `relay` or `other`, and `class` is one of the classes of replies: no
 * domain and no address is a label, so the number of series has a bound however many there are to write to.
 */
export class ProviderMetrics {
  readonly #attempts: Counter<'provider' | 'outcome'>
  readonly #deferrals: Counter<'provider' | 'class'>
  readonly #times: Histogram<'provider'>

  constructor(registry: Registry) {
    const registers = [registry]
    this.#attempts = new Counter({
      name: 'postwren_provider_attempts_total',
      help: 'Recipients that a provider was asked about, by its answer.',
      labelNames: ['provider', 'outcome'] as const,
      registers,
    })
    this.#deferrals = new Counter({
      name: 'postwren_provider_deferrals_total',
      help: 'Recipients that a provider has deferred, by what its reply was understood as.',
      labelNames: ['provider', 'class'] as const,
      registers,
    })
    this.#times = new Histogram({
      name: 'postwren_provider_delivery_seconds',
      help: 'Time from when an email was accepted, or was to leave, until the provider took it.',
      labelNames: ['provider'] as const,
      buckets: [1, 10, 60, 600, 3_600, 21_600, 86_400],
      registers,
    })
  }

  count(provider: string, outcome: ProviderOutcome) {
    this.#attempts.inc({ provider, outcome })
  }

  countDeferral(provider: string, replyClass: string) {
    this.#deferrals.inc({ provider, class: replyClass })
  }

  observeDelivery(provider: string, seconds: number) {
    this.#times.observe({ provider }, seconds)
  }
}
