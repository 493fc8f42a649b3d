import { feature } from '../feature.ts'
import { approvalEndpoints } from './endpoints.ts'
import { expireApprovals, sweepApprovals, sweepNotices } from './jobs.ts'
import { notifyApprovers } from './notify.ts'
import { approvalRoutes } from './public-routes.ts'

export const approvalsFeature = feature({
  endpoints: approvalEndpoints,
  publicRoutes: approvalRoutes,
  jobs: [expireApprovals, notifyApprovers],
  retention: [sweepApprovals, sweepNotices],
  times: [
    { table: 'approvals', team: ['expires_at', 'decided_at'], real: ['told_at'] },
    { table: 'approval_notices', real: ['created_at', 'expires_at'] },
  ],
  liveUpdates: [{ events: /^approval\./, endpoints: ['approvals', 'emails.list', 'emails.get', 'emails.trace'] }],
})
