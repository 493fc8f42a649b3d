import type { Database } from '../../../kernel/db/database.ts'
import { TeamWorker } from '../../../kernel/db/team-worker.ts'
import { OUTBOX_CHANNEL } from '../../../kernel/outbox/record.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/observability/log.ts'
import { AUTOMATIONS_CHANNEL } from './channel.ts'
import type { Effects } from './effects.ts'
import { dropFirst, nameFirst, workOff } from './engine.ts'
import { findTeams } from './happenings.ts'

export interface AutomationParts {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly effects: Effects
  /** Teams that can do nothing for now: their runs wait. */
  readonly teamStates: { readonly suspended: readonly string[] }
}

/** Takes runs on. */
export const automationWorker = (parts: AutomationParts): TeamWorker => {
  const { db, clock, effects, teamStates } = parts
  return new TeamWorker(parts, {
    name: 'automation',
    channels: [AUTOMATIONS_CHANNEL, OUTBOX_CHANNEL],
    teams: 3,
    // Happenings. With payloads of 64 kB each that is 20 MB.
    batch: 300,
    findTeams: ({ except, ...which }) =>
      findTeams(db, { ...which, except: [...except, ...teamStates.suspended], now: clock.now() }),
    work: (team, limit) => workOff(db, effects, team, limit),
    nameFirst: (team) => nameFirst(db, team),
    dropFirst: (team, name) => dropFirst(db, effects, team, name),
    dropped: 'a step of an automation failed for a reason of ours; its run is given up',
  })
}
