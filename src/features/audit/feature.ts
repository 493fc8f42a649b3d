import { sweepAuditEvents } from '../../kernel/audit/jobs.ts'
import { feature } from '../feature.ts'
import { auditEventEndpoints } from './endpoints.ts'

export const auditFeature = feature({
  endpoints: [...auditEventEndpoints],
  retention: [sweepAuditEvents],
  times: [{ table: 'audit_events', team: ['created_at'] }],
})
