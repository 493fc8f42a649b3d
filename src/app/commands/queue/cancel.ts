import { type CanceledOfTeam, cancelWaiting } from '../../../features/emails/delivery/queue.ts'
import { amendAudit, recordAudit } from '../../../kernel/audit/record.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { type Command, OperatorError } from '../command.ts'
import { withDatabase } from '../database.ts'
import { OPERATOR } from '../teams.ts'
import { isoOf, timeOf } from './filter.ts'

export const queueCancel: Command = {
  name: 'queue cancel',
  usage: '--due-before TIME',
  summary: 'Cancel the mail of all teams that was due before this time: it has left already, or is not to leave',
  options: { 'due-before': { type: 'string' } },
  words: 0,
  async run({ config, flags, print }) {
    if (flags['due-before'] === undefined)
      throw new OperatorError('Say what to cancel: postwren queue cancel --due-before 2026-01-31T12:00:00Z')
    const dueBefore = timeOf(flags['due-before'])
    await withDatabase(config, async (db) => {
      const canceled = await cancelWaiting(db, dueBefore, auditing({ due_before: dueBefore.toISOString() }))
      print(`Canceled for ${canceled} recipients what was due before ${isoOf(dueBefore)}.`)
    })
  },
}

/** One event for each team, however many transactions it takes: each adds what it has canceled. */
function auditing(details: object): (trx: Queryable, teams: readonly CanceledOfTeam[]) => Promise<void> {
  const events = new Map<string, { id: string; recipients: number }>()
  return async (trx, teams) => {
    for (const { team, recipients } of teams) {
      const known = events.get(team)
      const all = (known?.recipients ?? 0) + recipients
      const event = { team, actor: OPERATOR, action: 'queue.cancel', details: { ...details, recipients: all } }
      if (known) await amendAudit(trx, team, known.id, { recipients: all })
      events.set(team, { id: known?.id ?? (await recordAudit(trx, event)), recipients: all })
    }
  }
}
