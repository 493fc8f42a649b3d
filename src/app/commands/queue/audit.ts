import { auditingTeams } from '../../../features/operator/queue-audit.ts'
import { OPERATOR } from '../teams.ts'

/** Who has the machine acts for its operator. */
export const auditing = (action: string, details: object) => auditingTeams(OPERATOR, action, details)
