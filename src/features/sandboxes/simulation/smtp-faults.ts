import type { SmtpRefusal } from '../../../adapters/smtp-server/handler.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { parseReply } from '../../../mail/replies/parse-reply.ts'
import { isSandbox } from '../../../platform/ids.ts'
import { chanceOf, occurs } from './chance.ts'
import type { SmtpCommand } from './scenario.ts'
import { countOne } from './scenario-store.ts'
import type { Scenarios } from './scenarios.ts'

const USUAL: Readonly<Record<SmtpCommand, string>> = {
  mail: '451 4.3.2 The scenario does not let this sender through',
  rcpt: '451 4.3.2 The scenario does not let this recipient through',
  auth: '535 5.7.8 The scenario does not let this login through',
}

/** What the SMTP port refuses because a scenario says so: of a sandbox, or, where nothing leaves, of any team. */
export function smtpFaults(
  db: Database,
  scenarios: Pick<Scenarios, 'of' | 'ofOrdinary'>,
  { isInbox }: { isInbox: boolean },
) {
  return {
    async refusalOf(team: string, command: SmtpCommand): Promise<SmtpRefusal | null> {
      if (!isInbox && !isSandbox(team)) return null
      const scenario = await (isSandbox(team) ? scenarios.of(team) : scenarios.ofOrdinary(team))
      const rule = scenario?.smtp?.[command]
      if (!scenario || !rule) return null
      const { probability = 1, reply = USUAL[command] } = rule
      // Counted only where it matters which one it is: a count is a commit.
      const isOpen = probability > 0 && probability < 1
      const count = isOpen ? await countOne(db, team, `smtp ${command}`) : 0
      if (!occurs(probability, () => chanceOf(scenario.seed, 'smtp', command, count))) return null
      const { code, enhanced, text } = parseReply(reply)!
      return { code, enhanced: enhanced ?? '', message: text, isStaged: true }
    },
  }
}
