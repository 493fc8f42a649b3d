import { feature } from '../feature.ts'
import { clockEndpoints } from './clock/endpoints.ts'
import { sandboxEndpoints } from './endpoints.ts'
import { sweepSandboxes } from './jobs.ts'
import { scenarioEndpoints } from './scenario/endpoints.ts'
import { actLater } from './scenario/jobs.ts'
import { RunningClocks } from './simulation/running-clocks.ts'

export const sandboxesFeature = feature({
  endpoints: [...sandboxEndpoints, ...clockEndpoints, ...scenarioEndpoints],
  jobs: [sweepSandboxes, actLater],
  workers: [{ name: 'clocks', role: 'jobs', isHoldable: false, create: (services) => new RunningClocks(services) }],
  times: [
    // Written in the sandbox's own time.
    { table: 'sandbox_clocks', real: ['frozen_at'] },
    { table: 'sandbox_scenarios', real: ['updated_at'] },
    { table: 'sandboxes', real: ['created_at', 'expires_at'] },
  ],
})
