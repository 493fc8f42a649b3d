import { indexJob } from '../../kernel/search/job.ts'
import { feature, queueState } from '../feature.ts'
import { mailingTeams } from '../limits/reads.ts'
import { TEAM_IDS } from '../teams/reads.ts'
import { attachmentEndpoints } from './attachment-endpoints.ts'
import { judgeScheduled } from './delivery/approvals/judge-scheduled.ts'
import { sweepDestinationPauses, sweepPaces, sweepWarmUps, takeUpMail } from './delivery/jobs.ts'
import { dueDeliveries } from './delivery/ledger/due-moments.ts'
import { readDeliveryQueues } from './delivery/queue/queue-state.ts'
import { dryRunEndpoint } from './dry-run.ts'
import { emailEndpoints } from './endpoints.ts'
import { emailPublicRoutes } from './public-routes.ts'
import { scheduleEndpoint } from './schedule.ts'
import { emailSearch } from './search.ts'
import { shareEndpoint } from './share.ts'
import { sourceEndpoint } from './source.ts'
import { traceEndpoint } from './trace/endpoint.ts'
import { createStraightDelivery } from './worker.ts'

export const emailsFeature = feature({
  endpoints: [
    ...emailEndpoints,
    dryRunEndpoint,
    scheduleEndpoint,
    shareEndpoint,
    sourceEndpoint,
    traceEndpoint,
    ...attachmentEndpoints,
  ],
  publicRoutes: emailPublicRoutes,
  jobs: [
    takeUpMail,
    judgeScheduled,
    sweepDestinationPauses,
    sweepPaces,
    sweepWarmUps,
    indexJob(emailSearch.source, { teams: { all: TEAM_IDS, active: mailingTeams } }),
  ],
  workers: [{ name: 'delivery', role: 'delivery', isHoldable: true, create: createStraightDelivery }],
  queues: [
    {
      name: 'postwren_deliveries',
      help: 'Recipients in the ledger',
      labelNames: ['kind'],
      read: async (db) => (await readDeliveryQueues(db)).map(({ kind, ...queue }) => queueState(queue, { kind })),
    },
  ],
  dueMoments: [dueDeliveries],
  times: [
    { table: 'deliveries', team: ['settled_at'], due: ['due_at', 'give_up_at'], real: ['suspended_at'] },
    { table: 'email_attachments', team: ['created_at'] },
    { table: 'emails', team: ['scheduled_at', 'created_at'] },
    { table: 'search_progress', real: ['searched_at'] },
  ],
  liveUpdates: [
    {
      events: /^email\.(?!received$)/,
      endpoints: ['emails.list', 'emails.get', 'emails.source', 'emails.trace', 'emails.attachments', 'emails.metrics'],
    },
  ],
})
