import type { DueMoments } from '../../../kernel/db/due-moments.ts'
import { dueJobs } from '../../../kernel/jobs/due-moments.ts'
import { dueRuns } from '../../automations/engine/due-moments.ts'
import { newEvents } from '../../automations/engine/happenings.ts'
import { dueDeliveries } from '../../emails/delivery/due-moments.ts'
import { unfiledMail } from '../../inboxes/filing/notes.ts'
import { dueWebhooks } from '../../webhooks/delivery/due-moments.ts'
import { wantedEvents } from '../../webhooks/delivery/queries.ts'

/** Everything that can be due for a team: mail and its retries, jobs, webhooks and their retries, runs of automations. */
export const DUE: readonly DueMoments[] = [dueDeliveries, dueJobs, dueWebhooks, dueRuns]

/** Who follows events and may make something due. Metrics only count: nobody waits for them. */
export const NOTES = [wantedEvents, newEvents, unfiledMail]
