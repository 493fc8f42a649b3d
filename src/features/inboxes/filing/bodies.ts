import { keyOf, type Sql, sql } from '../../../kernel/db/sql.ts'
import { bodiesOf } from '../../emails/reads.ts'
import { receivedBodiesOf } from '../../inbound/reads.ts'

/** Something of the bodies `b` of a message `m`, which are where they were before it was filed; and `content`, if they are packed. */
export const bodiesOfMessage = (columns: Sql): Sql => sql`
  select ${columns}, null::bytea as content from ${receivedBodiesOf(keyOf('m'))} and m.direction = 'inbound'
  union all
  select ${columns}, b.content from ${bodiesOf(keyOf('m'))} and m.direction = 'outbound'`

/** The same as `body`, where there are some. */
export const joinBodies = (columns: Sql): Sql =>
  sql`left join lateral (${bodiesOfMessage(columns)} limit 1) body on true`
