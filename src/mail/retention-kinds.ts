/** What is kept for a time: each has a setting of the installation, and a team may have its own. In the order in which people read them. */
export const RETENTION_KINDS = [
  'emails',
  'bodies',
  'received',
  'attachments',
  'events',
  'logs',
  'runs',
  'trash',
  'audit',
] as const

export type RetentionKind = (typeof RETENTION_KINDS)[number]

/** Seconds by kind; infinite: for ever. */
export type RetentionPeriods = Readonly<Record<RetentionKind, number>>

export const mapKinds = <Value>(map: (kind: RetentionKind) => Value): Record<RetentionKind, Value> =>
  Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, map(kind)])) as Record<RetentionKind, Value>
