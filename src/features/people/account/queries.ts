import { sql } from '../../../kernel/db/sql.ts'
import { columnsOf } from '../../../kernel/http/columns.ts'
import type { Rows } from '../../../kernel/http/rows.ts'
import { passkeysOf, sessionsOf } from '../account.ts'
import { PasskeyItem, SessionItem } from './schema.ts'

// People are of no team: whose something is says `user_id`.

const PASSKEY_COLUMNS = columnsOf(PasskeyItem, 'p')

export const passkeyRows = (userId: string): Rows => ({ columns: PASSKEY_COLUMNS, ...passkeysOf(userId) })

export const sessionRows = (userId: string, { current, now }: { current: string; now: Date }): Rows => ({
  columns: columnsOf(SessionItem, 's', { is_current: sql`s.id = ${current}` }),
  ...sessionsOf(userId, now),
})
