import { groupBy } from '../group-by.ts'
import type { Config } from './config.ts'
import { retentionText } from './settings.ts'

/** What is kept for a time: each has a setting of the installation, and a team may have its own. In the order in which people read them. */
export const RETENTION_KINDS = ['emails', 'bodies', 'received', 'events', 'logs', 'runs', 'audit'] as const

export type RetentionKind = (typeof RETENTION_KINDS)[number]

/** Seconds by kind; infinite: for ever. */
export type RetentionPeriods = Readonly<Record<RetentionKind, number>>

const SETTING = {
  emails: 'RETENTION_EMAILS',
  bodies: 'RETENTION_BODIES',
  received: 'RETENTION_RECEIVED',
  events: 'RETENTION_EVENTS',
  logs: 'RETENTION_LOGS',
  runs: 'RETENTION_RUNS',
  audit: 'RETENTION_AUDIT',
} as const satisfies Record<RetentionKind, keyof Config>

/** What the settings of the installation say, for teams without their own. */
export const installationRetention = (config: Config): RetentionPeriods =>
  mapKinds((kind) => config[SETTING[kind]])

export const mapKinds = <Value>(map: (kind: RetentionKind) => Value): Record<RetentionKind, Value> =>
  Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, map(kind)])) as Record<RetentionKind, Value>

/** In one line for people: `emails forever, events 30d, …`. */
export const retentionInWords = (periods: RetentionPeriods): string => {
  const byPeriod = groupBy(RETENTION_KINDS, (kind) => retentionText(periods[kind]))
  return [...byPeriod].map(([period, kinds]) => `${kinds.join(', ')} ${period}`).join('; ')
}
