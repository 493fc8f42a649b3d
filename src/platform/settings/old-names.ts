/** Names that settings had before, and that still work. */
export const OLD_NAMES: Readonly<Record<string, string>> = {
  LOG_RETENTION: 'RETENTION_LOGS',
  EVENT_RETENTION: 'RETENTION_EVENTS',
  AUDIT_RETENTION: 'RETENTION_AUDIT',
  AUTOMATION_RUN_RETENTION: 'RETENTION_RUNS',
}

/** The name that a setting had before, if it had one. */
export const oldNameOf = (name: string): string | undefined =>
  Object.keys(OLD_NAMES).find((old) => OLD_NAMES[old] === name)
