import type { Queryable } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import type { Window } from '../../kernel/http/page.ts'
import { runsOf } from '../automations/reads.ts'
import { emailsOf, suppressionOf, wentTo } from '../emails/reads.ts'
import { receivedOf } from '../inbound/reads.ts'
import type { ACTIVITY_TYPES } from './schema.ts'

type ActivityType = (typeof ACTIVITY_TYPES)[number]

interface Source {
  readonly id: Sql
  readonly title: Sql
  readonly status: Sql
  readonly broadcast: Sql
  readonly createdAt: Sql
  /** Tables and conditions; another condition may follow. */
  readonly rows: Sql
}

export interface ContactOfTeam {
  readonly team: string
  readonly id: string
  readonly email: string
  /** What came from the contact, as far as this page can show it. */
  readonly receivedIds: readonly string[]
}

const NULL = sql`null::text`
const NO_BROADCAST = sql`null::uuid`

/** Where a contact occurs. Each source is read in the order of its ids, which are in the order of time. */
const SOURCES: Record<ActivityType, (contact: ContactOfTeam) => Source> = {
  email: ({ team, email }) => ({
    ...{ id: sql`e.id`, title: sql`e.subject`, status: sql`e.last_event` },
    ...{ broadcast: sql`e.broadcast_id`, createdAt: sql`e.created_at` },
    rows: sql`${emailsOf(team)} and ${wentTo(email)}`,
  }),
  received_email: ({ team, receivedIds }) => ({
    ...{ id: sql`e.id`, title: sql`e.subject`, status: NULL, broadcast: NO_BROADCAST, createdAt: sql`e.created_at` },
    rows: sql`${receivedOf(team)} and e.id = any (${receivedIds}::uuid[])`,
  }),
  automation_run: ({ team, id }) => ({
    ...{ id: sql`r.id`, title: sql`a.name`, status: sql`r.status`, broadcast: NO_BROADCAST },
    createdAt: sql`r.created_at`,
    rows: runsOf({ team: sql`${team}`, id: sql`${id}` }),
  }),
  suppression: ({ team, email }) => ({
    ...{ id: sql`s.id`, title: NULL, status: sql`s.origin`, broadcast: NO_BROADCAST, createdAt: sql`s.created_at` },
    rows: suppressionOf(team, email),
  }),
}

interface ActivityRow {
  readonly id: string
  readonly item: string
}

/**
 * A page of what happened to a contact, as JSON, and one more if there is one. Each source gives a page of its own and the newest of all
 * of them are the page: a contact with a million emails and one run costs as much as one page of each.
 */
export async function findActivity(db: Queryable, contact: ContactOfTeam, window: Window): Promise<string[]> {
  const found: ActivityRow[] = []
  for (const type of Object.keys(SOURCES) as ActivityType[])
    found.push(...(await findOfType(db, type, { contact, window })))
  const isNewer = window.direction === 'newer'
  return found
    .sort((a, b) => (a.id < b.id === isNewer ? -1 : 1))
    .slice(0, window.limit! + 1)
    .map(({ item }) => item)
}

function findOfType(
  db: Queryable,
  type: ActivityType,
  { contact, window: { cursor, direction, limit } }: { readonly contact: ContactOfTeam; readonly window: Window },
): Promise<ActivityRow[]> {
  const { id, title, status, broadcast, createdAt, rows } = SOURCES[type](contact)
  const isNewer = direction === 'newer'
  const beyond = cursor === null ? sql`` : isNewer ? sql`and ${id} > ${cursor}` : sql`and ${id} < ${cursor}`
  return db.query<ActivityRow>(sql`
    select ${id}::text as id, json_build_object('id', ${id}, 'type', ${type}::text, 'title', ${title}, 'status', ${status},
      'broadcast_id', ${broadcast}, 'created_at', wire_time(${createdAt}))::text as item
    from ${rows} ${beyond} order by ${id} ${isNewer ? sql`asc` : sql`desc`} limit ${limit! + 1}`)
}
