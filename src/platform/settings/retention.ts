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

/** In one line for people: `emails, bodies, received forever; events, logs 30d; …`. */
export const retentionInWords = (periods: RetentionPeriods): string =>
  [...groupBy(RETENTION_KINDS, (kind) => retentionText(periods[kind]))]
    .map(([period, kinds]) => `${kinds.join(', ')} ${period}`)
    .join('; ')
