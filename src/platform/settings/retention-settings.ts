import { oneOf, retention } from './settings.ts'

/** How long things are kept. */
export const RETENTION_SETTINGS = {
  RETENTION_EMAILS: retention({ default: 'forever' }).describe(
    'How long emails are kept after their last recipient is settled, with all that belongs to them: `90d`, or `forever`. Mail that waits, is scheduled or held is kept. docs/operations/retention.md.',
  ),
  RETENTION_BODIES: retention({ default: 'forever' }).describe(
    'How long the content of emails is kept: `html`, `text`, attachments. The email itself stays, and answers with null.',
  ),
  RETENTION_RECEIVED: retention({ default: 'forever' }).describe(
    'How long received emails are kept, with their attachments and where they are in inboxes.',
  ),
  RETENTION_ATTACHMENTS: retention({ default: 'forever' }).describe(
    'How long attachments of sent and received emails are kept, inline images among them. The emails stay. `forever`: as long as their email.',
  ),
  RETENTION_EVENTS: retention({ default: '30d' }).describe(
    'How long events are kept, and with them what the log of each webhook says about their delivery.',
  ),
  RETENTION_LOGS: retention({ default: '30d' }).describe('How long entries of `GET /logs` are kept, e.g. `12h`.'),
  RETENTION_RUNS: retention({ default: '90d' }).describe(
    'How long runs of automations are kept after they have ended. Active runs are kept.',
  ),
  RETENTION_TRASH: retention({ default: '30d' }).describe('How long threads stay in the trash of an inbox.'),
  RETENTION_AUDIT: retention({ default: '365d' }).describe(
    'How long the audit log is kept: who changed what, `GET /audit-events`.',
  ),
  RETENTION_ARCHIVE: oneOf(['off', 'parquet'], { default: 'off' }).describe(
    '`parquet`: whole periods of old rows are written to the blob store as Parquet files before they are deleted. It needs the optional package `@duckdb/node-api`; without it nothing is deleted by period. docs/operations/retention.md.',
  ),
} as const
