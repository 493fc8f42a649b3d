import type { Static } from 'typebox'
import { annotateAudit } from '../../kernel/audit/annotations.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { fieldsOf } from '../../kernel/http/columns.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { readOwnPeriods, writeOwnPeriods } from '../../kernel/retention/team-periods.ts'
import { mapKinds, type RetentionKind } from '../../mail/retention-kinds.ts'
import type { Config } from '../../platform/settings/config.ts'
import { installationRetention } from '../../platform/settings/retention.ts'
import { retentionSeconds, retentionText } from '../../platform/settings/settings.ts'
import type { Services } from '../services.ts'
import { ChangeRetention, type TeamRetention } from './schema.ts'

export async function describeRetention(
  db: Queryable,
  config: Config,
  team: string,
): Promise<Static<typeof TeamRetention>> {
  const [installation, own] = [installationRetention(config), await readOwnPeriods(db, team)]
  return {
    object: 'team_retention',
    ...mapKinds((kind) => {
      const { operator, owner } = own.get(kind) ?? {}
      const max = operator ?? installation[kind]
      return {
        period: retentionText(Math.min(max, owner ?? max)),
        own: owner === undefined ? null : retentionText(owner),
        max: retentionText(max),
      }
    }),
  }
}

/** What owners choose: never longer than the installation keeps it, or what its operator has said for the team. */
export async function changeRetention(
  { db, config }: Pick<Services, 'db' | 'config'>,
  { team }: Actor,
  body: Static<typeof ChangeRetention>,
) {
  const named = fieldsOf(ChangeRetention, body)
  await db.transaction(async (trx) => {
    const now = await describeRetention(trx, config, team)
    const changes: Partial<Record<RetentionKind, number | null>> = {}
    for (const [name, text] of Object.entries(named)) {
      const kind = name as RetentionKind
      const seconds = typeof text === 'string' ? retentionSeconds(text) : null
      if (seconds !== null && seconds > retentionSeconds(now[kind].max)!)
        throw new Problem('validation_error', `The \`${kind}\` can be at most \`${now[kind].max}\`.`)
      changes[kind] = seconds
    }
    await writeOwnPeriods(trx, team, { by: 'owner', changes })
    annotateAudit(trx, { team, details: named })
  })
}
