import { mapKinds, RETENTION_KINDS, type RetentionKind, type RetentionPeriods } from '../../mail/retention-kinds.ts'
import { groupBy } from '../group-by.ts'
import type { Config } from './config.ts'
import { retentionText } from './settings.ts'

const SETTING = {
  emails: 'RETENTION_EMAILS',
  bodies: 'RETENTION_BODIES',
  received: 'RETENTION_RECEIVED',
  attachments: 'RETENTION_ATTACHMENTS',
  events: 'RETENTION_EVENTS',
  logs: 'RETENTION_LOGS',
  runs: 'RETENTION_RUNS',
  trash: 'RETENTION_TRASH',
  audit: 'RETENTION_AUDIT',
} as const satisfies Record<RetentionKind, keyof Config>

/** What the settings of the installation say, for teams without their own. */
export const installationRetention = (config: Config): RetentionPeriods => mapKinds((kind) => config[SETTING[kind]])

/** Parts of mail, and the mail that they go with at the latest. */
const PART_OF: Partial<Record<RetentionKind, readonly RetentionKind[]>> = {
  bodies: ['emails'],
  attachments: ['emails', 'received'],
}

/** In one line for people: `emails 90d; bodies as long as their email; received forever; events, logs 30d; …`. */
export const retentionInWords = (periods: RetentionPeriods): string =>
  [...groupBy(RETENTION_KINDS, (kind) => periodInWords(periods, kind))]
    .map(([period, kinds]) => `${kinds.join(', ')} ${period}`)
    .join('; ')

function periodInWords(periods: RetentionPeriods, kind: RetentionKind): string {
  const wholes = PART_OF[kind]
  const isNoShorter = wholes?.every((whole) => periods[kind] >= periods[whole]) ?? false
  return isNoShorter ? 'as long as their email' : retentionText(periods[kind])
}
