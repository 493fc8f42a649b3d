import { join, raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import type { Email } from './email.ts'

/** What `emails` keeps of an email, beside its status. */
export interface EmailRow extends Email {
  readonly apiKeyId?: string | null
  readonly scheduledAt?: Date | null
}

/** Each field of an email with its column and the type of the column. Whatever reads or writes these columns is made from it. */
const FIELDS: Record<keyof EmailRow, { readonly column: string; readonly type: string }> = {
  team: { column: 'team_id', type: 'uuid' },
  id: { column: 'id', type: 'uuid' },
  messageId: { column: 'message_id', type: 'text' },
  from: { column: '"from"', type: 'text' },
  to: { column: '"to"', type: 'jsonb' },
  cc: { column: 'cc', type: 'jsonb' },
  bcc: { column: 'bcc', type: 'jsonb' },
  replyTo: { column: 'reply_to', type: 'jsonb' },
  subject: { column: 'subject', type: 'text' },
  headers: { column: 'headers', type: 'jsonb' },
  tags: { column: 'tags', type: 'jsonb' },
  topicId: { column: 'topic_id', type: 'uuid' },
  templateId: { column: 'template_id', type: 'uuid' },
  domainId: { column: 'domain_id', type: 'uuid' },
  broadcastId: { column: 'broadcast_id', type: 'uuid' },
  apiKeyId: { column: 'api_key_id', type: 'uuid' },
  scheduledAt: { column: 'scheduled_at', type: 'timestamptz' },
  createdAt: { column: 'created_at', type: 'timestamptz' },
}

export const FIELD_NAMES = Object.keys(FIELDS) as readonly (keyof EmailRow)[]

const listOf = (piece: (name: keyof EmailRow) => string): Sql => raw(FIELD_NAMES.map(piece).join(', '))

/** `team uuid, "messageId" text, …`: the fields in a JSON text. */
export const RECORD_COLUMNS = listOf((name) => `"${name}" ${FIELDS[name].type}`)
/** `team_id, message_id, …`. */
export const COLUMNS = listOf((name) => FIELDS[name].column)
/** `team, "messageId", …`: what comes out of `RECORD_COLUMNS`, in the order of `COLUMNS`. */
export const RECORD_NAMES = listOf((name) => `"${name}"`)

const ONLY_WRITTEN: ReadonlySet<keyof EmailRow> = new Set<keyof EmailRow>(['apiKeyId', 'scheduledAt'])

/** The columns of `emails e` that make an Email, each as it is or by an expression of its own. */
export const emailColumns = (expressions: { readonly [Name in keyof Email]?: Sql } = {}): Sql =>
  join(
    FIELD_NAMES.filter((name) => !ONLY_WRITTEN.has(name)).map((name) => {
      const expression = expressions[name as keyof Email] ?? raw(`e.${FIELDS[name].column}`)
      return sql`${expression} as ${raw(`"${name}"`)}`
    }),
    ', ',
  )

export const EMAIL_COLUMNS = emailColumns()
