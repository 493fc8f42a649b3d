import { feature, unlabelled } from '../feature.ts'
import { automationEndpoints } from './endpoints.ts'
import { dueRuns } from './engine/due-moments.ts'
import { cancelStopped, deleteRuns, sweepAutomationRuns } from './engine/jobs.ts'
import { readAutomationQueue } from './engine/queue-state.ts'
import { newEvents } from './engine/triggers.ts'
import { automationExtraEndpoints } from './extra-endpoints.ts'
import { automationRunEndpoints } from './run-endpoints.ts'
import { createAutomations } from './worker.ts'

export const automationsFeature = feature({
  endpoints: [...automationEndpoints, ...automationRunEndpoints, ...automationExtraEndpoints],
  jobs: [cancelStopped, deleteRuns],
  retention: [sweepAutomationRuns],
  workers: [{ name: 'automations', role: 'jobs', isHoldable: true, create: createAutomations }],
  queues: [
    {
      name: 'postwren_automations',
      help: 'Events and runs of automations',
      labelNames: [],
      read: unlabelled(readAutomationQueue),
    },
  ],
  subscriptions: [{ subscription: newEvents, mayMakeDue: true }],
  dueMoments: [dueRuns],
  times: [
    { table: 'automation_graphs', team: ['created_at'] },
    { table: 'automation_runs', team: ['entered_at', 'created_at', 'started_at', 'completed_at'], due: ['due_at'] },
    // Follows that of the runs by a trigger, when it becomes earlier. Too early is corrected by whoever looks.
    { table: 'automation_next_due', real: ['due_at'] },
    { table: 'automations', team: ['created_at', 'updated_at'] },
  ],
  liveUpdates: [{ events: /^event\./, endpoints: ['automationRuns', 'automations.numbers', 'automations.runs'] }],
})
