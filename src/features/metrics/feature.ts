import { feature } from '../feature.ts'
import { breakdownEndpoint } from './breakdown.ts'
import { broadcastsMetricsEndpoint, metricsEndpoint } from './endpoints.ts'
import { uncountedEvents } from './fold.ts'
import { backfillSums, foldMetrics } from './jobs.ts'

export const metricsFeature = feature({
  endpoints: [metricsEndpoint, broadcastsMetricsEndpoint, breakdownEndpoint],
  jobs: [foldMetrics, backfillSums],
  // It only counts: nobody waits for it.
  subscriptions: [{ subscription: uncountedEvents, mayMakeDue: false }],
  times: [
    { table: 'metric_backfills', team: ['filled_from'] },
    { table: 'metric_counts', team: ['quarter'] },
    { table: 'metric_facts', team: ['at'] },
    { table: 'metric_sums', team: ['start'] },
  ],
})
