import type { SETTINGS } from './config.ts'

/** The headings of docs/configuration.md, with the settings under each. Each setting has one. */
export const SUBJECTS = {
  'Addresses and processes': [
    ...(['PORT', 'HOST', 'PUBLIC_URL', 'TRUSTED_PROXIES', 'ROLES', 'PROCESSES'] as const),
    ...(['CELL', 'CELLS'] as const),
  ],
  'Data and database': [
    ...(['DATA_DIR', 'DATABASE_URL', 'DATABASE_CONNECTIONS', 'START_WAIT', 'S3_URL'] as const),
    ...(['BACKUP_PASSPHRASE', 'BACKUP_URL', 'IMPORT_LIMIT_MB'] as const),
  ],
  'Keys and people': ['API_KEY', 'SECRET_KEY', 'SECRET_KEY_NEXT', 'OIDC'],
  Sending: [
    ...(['DELIVERY', 'RELAY_URL', 'HOSTNAME', 'SPF', 'MAIL_FROM', 'SOURCE_ADDRESS', 'DNS_SERVERS'] as const),
    ...(['SOURCES', 'BLOCKLISTS'] as const),
    ...(['DESTINATION_CONNECTIONS', 'CEILINGS', 'RELAY_CONNECTIONS', 'RETRY_SCHEDULE', 'GIVE_UP_AFTER'] as const),
    'ROUTES',
    ...(['DELIVERY_MEMORY_MB', 'HOLD', 'PRIVATE_ADDRESSES'] as const),
  ],
  'SMTP: receiving and submission': [
    ...(['SMTP_HOST', 'SMTP_PORT', 'SMTP_MORE_PORTS', 'SMTP_AUTH', 'SMTP_STARTTLS', 'TLS_CERT', 'TLS_KEY'] as const),
    ...(['SMTP_PROXIES'] as const),
    ...(['RECEIVE_PER_ADDRESS', 'RECEIVE_PER_TEAM', 'SPAMD_URL'] as const),
  ],
  'TLS: certificates and policies': ['ACME', 'ACME_CONTACT', 'HTTPS_PORT', 'MTA_STS', 'TLS_REPORTS'],
  Limits: ['RATE_LIMIT'],
  'Logs and metrics': [
    ...(['LOG_LEVEL', 'LOG_FORMAT', 'LOG_ADDRESSES', 'METRICS_PORT', 'METRICS_HOST', 'METRICS_TOKEN'] as const),
    ...(['ATTEMPTS', 'ATTEMPTS_MB', 'ATTEMPTS_SECRET'] as const),
    ...(['OPERATOR_WEBHOOK', 'OPERATOR_WEBHOOK_SECRET'] as const),
    ...(['OTLP_URL', 'OTLP_HEADERS', 'TRACE_SAMPLING'] as const),
  ],
  Retention: [
    ...(['RETENTION_EMAILS', 'RETENTION_BODIES', 'RETENTION_RECEIVED', 'RETENTION_ATTACHMENTS'] as const),
    ...([
      'RETENTION_EVENTS',
      'RETENTION_LOGS',
      'RETENTION_RUNS',
      'RETENTION_TRASH',
      'RETENTION_AUDIT',
      'RETENTION_ARCHIVE',
    ] as const),
  ],
  Agents: ['AGENT_URL', 'AGENT_MODEL', 'AGENT_KEY', 'AGENT_RUNS_PER_DAY'],
  Tests: ['SANDBOXES'],
} as const satisfies Record<string, readonly (keyof typeof SETTINGS)[]>
