import { type AuditActor, amendAudit, recordAudit } from '../../kernel/audit/record.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import type { RecipientsOfTeam } from '../emails/delivery/queue/queue-changes.ts'

/** One event for each team, however many transactions it takes: each adds its recipients. */
export function auditingTeams(
  actor: AuditActor,
  action: string,
  details: object,
): (trx: Queryable, teams: readonly RecipientsOfTeam[]) => Promise<void> {
  const events = new Map<string, { id: string; recipients: number }>()
  return async (trx, teams) => {
    for (const { team, recipients } of teams) {
      const known = events.get(team)
      const all = (known?.recipients ?? 0) + recipients
      const event = { team, actor, action, details: { ...details, recipients: all } }
      if (known) await amendAudit(trx, team, known.id, { recipients: all })
      events.set(team, { id: known?.id ?? (await recordAudit(trx, event)), recipients: all })
    }
  }
}
