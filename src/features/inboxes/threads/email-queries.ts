import Type, { type Static } from 'typebox'
import type { Database, Queryable } from '../../../kernel/db/database.ts'
import type { JsonRows } from '../../../kernel/db/json-rows.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { columnsOf } from '../../../kernel/http/columns.ts'
import { FoundItems, pageStatement } from '../../../kernel/http/list.ts'
import type { Window } from '../../../kernel/http/page.ts'
import type { Rows } from '../../../kernel/http/rows.ts'
import { unpackLine } from '../../../mail/packed-bodies.ts'
import type { Steps } from '../../../mail/steps.ts'
import { inTurns } from '../../../platform/concurrency/in-turns.ts'
import { bytesOfHtml, bytesOfText } from '../../emails/reads.ts'
import { joinBodies } from '../filing/bodies.ts'
import type { InboxRef } from './queries.ts'
import { InboxEmail } from './schema.ts'

const { html, text, ...HEAD } = InboxEmail.properties

const SHOWN = { read: raw('m.is_read'), received_at: raw('iso_time(m.created_at)') }

/** Larger ones are in the email itself only. */
const MAX_BODIES_LENGTH = 256 * 1024
/** Of all bodies on a page together: some 15 ms to pass on. */
const PAGE_BYTES = 4 * 1024 * 1024

const WITH_BODIES = joinBodies(sql`b.html, b.text`)

const BYTES = sql`coalesce(${bytesOfHtml(sql`body`)}, 0) + coalesce(${bytesOfText(sql`body`)}, 0)`

/** A page of the emails of a thread, the oldest first. */
export async function findThreadEmails(
  db: Database,
  { team, thread }: { team: string; thread: string },
  window: Window,
): Promise<FoundItems> {
  const rows = threadEmailRows(team, thread, window.direction === 'newer')
  const [page] = await db.query<JsonRows>(pageStatement(rows, window, window.limit!))
  return new FoundItems(await inTurns(unpackedItems(page!.texts())))
}

function* unpackedItems(items: readonly string[]): Steps<string[]> {
  const all: string[] = []
  for (const item of items) {
    all.push(unpackLine(item, 'base64'))
    yield
  }
  return all
}

/** `isBackwards` says from which end the page is filled. */
function threadEmailRows(team: string, thread: string, isBackwards: boolean): Rows {
  const isFitting = sql`${BYTES} <= ${raw(String(MAX_BODIES_LENGTH))} and
    sum(${BYTES}) filter (where ${BYTES} <= ${raw(String(MAX_BODIES_LENGTH))})
      over (order by m.id ${isBackwards ? sql`desc` : sql`asc`}) <= ${raw(String(PAGE_BYTES))}`
  return {
    columns: sql`${columnsOf(InboxEmail, 'm', {
      ...SHOWN,
      html: sql`case when ${isFitting} then body.html end`,
      text: sql`case when ${isFitting} then body.text end`,
    })}, case when ${isFitting} then encode(body.content, 'base64') end as content`,
    from: sql`inbox_messages m`,
    where: sql`m.team_id = ${team} and m.thread_id = ${thread}`,
    id: sql`m.id`,
    isAscending: true,
    joined: { of: sql`m`, with: WITH_BODIES },
  }
}

const HEAD_COLUMNS = columnsOf(Type.Object(HEAD), 'm', SHOWN)

/** Without its bodies. */
export async function findThreadEmail(db: Queryable, { team, inbox }: InboxRef, thread: string, id: string) {
  const [row] = await db.query<Omit<Static<typeof InboxEmail>, 'html' | 'text'>>(sql`
    select ${HEAD_COLUMNS} from inbox_messages m
    where m.team_id = ${team} and m.inbox_id = ${inbox} and m.id = ${id} and m.thread_id = ${thread}`)
  return row
}
