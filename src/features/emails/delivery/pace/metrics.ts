import type { Destination } from '../../../../adapters/smtp-client/destination.ts'
import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import { isProvider } from '../../../../mail/providers/providers.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { groupBy } from '../../../../platform/group-by.ts'
import type { Metrics } from '../../../../platform/observability/metrics.ts'
import type { Pace } from './pace.ts'
import type { Pauses } from './pauses.ts'

const RELAY = 'relay'
const OTHER = 'other'

/** What a destination is called as a label: there are as many as known providers, and two more. */
const labelOf = ({ provider, site, name }: Destination) => provider ?? ((site ?? name) === RELAY ? RELAY : OTHER)

/** The same, of the name that pauses and controllers keep. */
const labelOfName = (name: string) => (name === RELAY || isProvider(name) ? name : OTHER)

/** Counts what was answered about a mail that was to leave then. */
export function answerCounter({ providers }: Pick<Metrics, 'providers'>, clock: Clock) {
  return (destination: Destination, outcome: Outcome | Untried, sentAt: Date) => {
    if (outcome.kind === 'postponed') return
    const provider = labelOf(destination)
    providers.count(provider, outcome.kind)
    if (outcome.kind === 'deferred') providers.countDeferral(provider, outcome.class ?? 'uncategorized')
    if (outcome.kind === 'delivered')
      providers.observeDelivery(provider, Math.max(0, clock.now().getTime() - sentAt.getTime()) / 1_000)
  }
}

/** What holds mail back: shown by every process that delivers, of all of them. */
export function addPaceMetrics(metrics: Pick<Metrics, 'addGauge'>, { pace, pauses }: { pace: Pace; pauses: Pauses }) {
  const controllers = () => [...groupBy(pace.list(), ({ destination }) => labelOfName(destination))]
  metrics.addGauge(
    {
      name: 'postwren_destinations_paused',
      help: 'Pauses of mail that destinations refuse for what it carries, as our IP address.',
      labelNames: [],
    },
    async () => [{ labels: {}, value: pauses.list().length }],
  )
  metrics.addGauge(
    {
      name: 'postwren_provider_pauses',
      help: 'The same by provider and by the kind of identity that is refused.',
      labelNames: ['provider', 'kind'],
    },
    async () =>
      [...groupBy(pauses.list(), ({ destination, kind }) => `${labelOfName(destination)} ${kind}`)].map(
        ([key, { length: value }]) => {
          const [provider, kind] = key.split(' ') as [string, string]
          return { labels: { provider, kind }, value }
        },
      ),
  )
  metrics.addGauge(
    {
      name: 'postwren_pace_controllers',
      help: 'Identities whose mail goes more slowly, since the provider has asked for less.',
      labelNames: ['provider'],
    },
    async () => controllers().map(([provider, { length: value }]) => ({ labels: { provider }, value })),
  )
  metrics.addGauge(
    {
      name: 'postwren_pace_slowest_rate',
      help: 'Messages in a second that the slowest of these identities may send, of all processes.',
      labelNames: ['provider'],
    },
    async () =>
      controllers().map(([provider, held]) => ({
        labels: { provider },
        value: Math.min(...held.map(({ state }) => state.rate)),
      })),
  )
  metrics.addGauge(
    {
      name: 'postwren_pace_ceiling_rate',
      help: 'The ceiling of these rates, where there is one.',
      labelNames: ['provider'],
    },
    async () =>
      controllers().flatMap(([provider, held]) => {
        const ceilings = held.flatMap(({ ceiling }) => (ceiling === null ? [] : [ceiling]))
        return ceilings.length > 0 ? [{ labels: { provider }, value: Math.min(...ceilings) }] : []
      }),
  )
}
