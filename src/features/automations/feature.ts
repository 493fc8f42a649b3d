import { feature, unlabelled } from '../feature.ts'
import { automationEndpoints } from './endpoints.ts'
import { cancelStopped, deleteRuns, sweepAutomationRuns } from './engine/jobs.ts'
import { readAutomationQueue } from './engine/queue-state.ts'
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
      help: 'Events and runs that automations have to deal with',
      labelNames: [],
      read: unlabelled(readAutomationQueue),
    },
  ],
})
