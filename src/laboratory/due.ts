import { dueRuns } from '../automations/due-moments.ts'
import { newEvents } from '../automations/triggers.ts'
import { dueDeliveries } from '../delivery/due-moments.ts'
import { unfiledMail } from '../inboxes/pending.ts'
import type { DueMoments } from '../platform/db/due-moments.ts'
import { dueJobs } from '../platform/jobs/due-moments.ts'
import { dueWebhooks } from '../webhooks/due-moments.ts'
import { wantedEvents } from '../webhooks/queries.ts'

/** Everything that can be due for a team: mail and its retries, jobs, webhooks and their retries, runs of automations. */
export const DUE: readonly DueMoments[] = [dueDeliveries, dueJobs, dueWebhooks, dueRuns]

/** Who follows events and may make something due. Metrics only count: nobody waits for them. */
export const SUBSCRIPTIONS = [wantedEvents, newEvents, unfiledMail]
