import { hintIn } from '../../features/policies/hint.ts'
import { summaryOf } from '../../features/policies/write.ts'
import { recordAudit } from '../../kernel/audit/record.ts'
import { type Command, JSON_FLAG, OperatorError, oneLine } from './command.ts'
import { withDatabase } from './database.ts'
import { findKey } from './keys.ts'
import { givePolicy, readPolicy } from './policy-input.ts'
import { OPERATOR } from './teams.ts'

export const keyPolicy: Command = {
  name: 'key policy',
  usage: 'ID|NAME [--set FILE|JSON] [--remove] [--team T] [--json]',
  summary: 'Show, set or remove the policy of an API key: what it may send',
  options: { set: { type: 'string' }, remove: { type: 'boolean' }, team: { type: 'string' }, ...JSON_FLAG },
  words: 1,
  async run({ config, words: [wanted = ''], flags, print }) {
    if (flags.set !== undefined && flags.remove) throw new OperatorError('Use either --set or --remove.')
    const changed = flags.remove ? null : flags.set === undefined ? undefined : await readPolicy(String(flags.set))
    await withDatabase(config, async (db) => {
      const key = await findKey(db, wanted, flags.team)
      const { id, name, team, team_id, policy: before } = key
      const policy = changed === undefined ? before : changed
      if (changed !== undefined)
        await db.transaction(async (trx) => {
          await givePolicy(trx, { team: team_id, id }, changed)
          await recordAudit(trx, {
            ...{ team: team_id, actor: OPERATOR, action: 'api-keys.update', objectId: id },
            details: { name, policy: changed && summaryOf(changed) },
          })
        })
      const hinted = await hintIn(db, team_id, policy)
      if (flags.json) return print(JSON.stringify({ object: 'api_key', id, name, policy, ...hinted }))
      if (hinted.hint) process.stderr.write(`${hinted.hint}\n`)
      const whose = `the API key ${oneLine(name)} of team ${oneLine(team)}`
      if (changed === null) return print(`Removed the policy of ${whose}.`)
      if (changed !== undefined) return print(`Set the policy of ${whose}.`)
      print(policy ? JSON.stringify(policy, null, 2) : `No policy for ${whose}.`)
    })
  },
}
