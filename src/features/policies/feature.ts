import { feature } from '../feature.ts'
import { tellRefusals } from './jobs.ts'
import { policyRetention } from './retention.ts'

export const policiesFeature = feature({
  jobs: [tellRefusals],
  retention: policyRetention,
  times: [
    { table: 'policies', team: ['updated_at'] },
    { table: 'policy_emails', team: ['counted_at'] },
    { table: 'policy_refusals', team: ['minute'] },
    { table: 'policy_uses', team: ['minute'] },
  ],
})
