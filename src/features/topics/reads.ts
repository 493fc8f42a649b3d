import { sql } from '../../kernel/db/sql.ts'

// What others read of topics, as a part of their statements.

export const TOPICS = sql`(select team_id, id, name, description, default_subscription, created_at from topics)`
