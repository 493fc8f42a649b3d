import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { anyTeam, type Sql, sql } from '../../../kernel/db/sql.ts'
import { type Connections, REACH_MS, SUBJECT_KINDS, subjectKey } from './connections.ts'
import type { FiledMessage } from './message.ts'
import type { Person } from './people.ts'
import { MAX_EARLIER, type Neighbour } from './thread-finder.ts'
import type { ThreadState } from './thread-state.ts'

// What filing reads and writes of one inbox, whose row is locked. Each statement is about all messages of a batch.

export interface InboxRef {
  readonly team: string
  readonly inbox: string
}

/** Of these emails, those that are there already. */
export async function findFiled(db: Queryable, { team, inbox }: InboxRef, emails: readonly string[]) {
  const rows = await db.query<{ id: string }>(sql`
    select id from inbox_messages where team_id = ${anyTeam(team)} and inbox_id = ${inbox} and id = any (${emails}::uuid[])`)
  return new Set(rows.map(({ id }) => id))
}

/**
 * The threads of messages that have or name these. Null: the thread is being deleted. Each name is looked up by itself: with many teams PostgreSQL expects a row or two of an inbox,
 * since it does not know that an inbox has one team, and as a join read all of its names.
 */
export const findNames = (db: Queryable, { team, inbox }: InboxRef, names: readonly string[]) =>
  db.query<{ name: string; thread: string | null }>(sql`
    select encode(r.name, 'hex') as name, t.id as thread
    from unnest(${names}::text[]) as wanted (name)
    cross join lateral (
      select r.team_id, r.inbox_id, r.name, r.email_id from inbox_references r
      where r.team_id = ${anyTeam(team)} and r.inbox_id = ${inbox} and r.name = decode(wanted.name, 'hex') limit 1) r
    left join inbox_messages m on m.team_id = r.team_id and m.inbox_id = r.inbox_id and m.id = r.email_id
    left join inbox_threads t on t.team_id = m.team_id and t.id = m.thread_id`)

/** For each message and each of its subjects those before it that it reaches, and of each kind the next one that may reach it. */
export async function findNeighbours(
  db: Queryable,
  { team, inbox }: InboxRef,
  messages: readonly Connections[],
): Promise<Neighbour[]> {
  const wanted = messages.flatMap(({ subjects, sentAt, id, kind }) =>
    subjects.flatMap((subject) =>
      SUBJECT_KINDS.map((other) => ({
        ...{ subject: subjectKey(other, subject), id, at: new Date(sentAt) },
        ...{ from: new Date(sentAt - REACH_MS[kind]), until: new Date(sentAt + REACH_MS[other]) },
      })),
    ),
  )
  if (wanted.length === 0) return []
  const nearest = (side: Sql, order: Sql, most: number) => sql`
    (select s.sent_at, s.email_id, t.id as thread from inbox_subjects s
      join inbox_messages m on m.team_id = s.team_id and m.inbox_id = s.inbox_id and m.id = s.email_id
      join inbox_threads t on t.team_id = m.team_id and t.id = m.thread_id
      where s.team_id = ${anyTeam(team)} and s.inbox_id = ${inbox} and s.name = decode(wanted.subject, 'hex') and ${side}
      order by ${order} limit ${most}::int)`
  const columns = { subject: 'text', at: 'timestamptz', from: 'timestamptz', until: 'timestamptz', id: 'uuid' } as const
  const rows = await db.query<{ subject: string; at: Date; id: string; thread: string }>(sql`
    select wanted.subject, found.sent_at as at, found.email_id as id, found.thread
    from ${rowsOf(wanted, columns, 'wanted')}
    cross join lateral (
      ${nearest(
        sql`(s.sent_at, s.email_id) < (wanted.at, wanted.id) and s.sent_at >= wanted.from`,
        sql`s.sent_at desc, s.email_id desc`,
        MAX_EARLIER,
      )}
      union all
      ${nearest(
        sql`(s.sent_at, s.email_id) > (wanted.at, wanted.id) and s.sent_at <= wanted.until`,
        sql`s.sent_at, s.email_id`,
        1,
      )}) found`)
  return rows.map(({ subject, at, id, thread }) => ({ subject, sentAt: at.getTime(), id, thread }))
}

export interface StoredThread extends ThreadState {
  /** How many messages it has. */
  readonly size: number
}

export const findThreads = (db: Queryable, { team, inbox }: InboxRef, ids: readonly string[]) =>
  db.query<StoredThread>(sql`
    select id, subject, folder, traffic, labels, assignee_email as "assigneeEmail", newest_id as "newestId",
      shown_id as "shownId", trashed_at as "trashedAt", created_at as "createdAt", emails as size
    from inbox_threads where team_id = ${anyTeam(team)} and inbox_id = ${inbox} and id = any (${ids}::uuid[])`)

const THREAD_COLUMNS = {
  id: 'uuid',
  subject: 'text',
  folder: 'text',
  traffic: 'text',
  labels: 'json',
  assigneeEmail: 'text',
  newestId: 'uuid',
  shownId: 'uuid',
  trashedAt: 'timestamptz',
  createdAt: 'timestamptz',
} as const

const LABELS = sql`array(select label::uuid from json_array_elements_text(given.labels) label)`

export const insertThreads = (trx: Transaction, { team, inbox }: InboxRef, threads: readonly ThreadState[]) =>
  trx.query(sql.write`
    insert into inbox_threads (team_id, inbox_id, id, subject, folder, traffic, labels, assignee_email, newest_id, shown_id, trashed_at,
      created_at)
    select ${team}, ${inbox}, id, subject, folder, traffic, ${LABELS}, "assigneeEmail", "newestId", "shownId", "trashedAt", "createdAt"
    from ${rowsOf(threads, THREAD_COLUMNS)}`)

export const updateThreads = (trx: Transaction, { team }: InboxRef, threads: readonly ThreadState[]) =>
  trx.query(sql.write`
    update inbox_threads t set subject = given.subject, folder = given.folder, traffic = given.traffic, labels = ${LABELS},
      assignee_email = given."assigneeEmail", newest_id = given."newestId", shown_id = given."shownId",
      trashed_at = given."trashedAt", created_at = given."createdAt"
    from ${rowsOf(threads, THREAD_COLUMNS)} where t.team_id = ${anyTeam(team)} and t.id = given.id`)

/** Lets threads become part of others. A trigger takes along whatever else names them. */
export async function mergeThreads(
  trx: Transaction,
  { team, inbox }: InboxRef,
  merges: readonly { readonly id: string; readonly into: string }[],
) {
  const given = rowsOf(merges, { id: 'uuid', into: 'uuid' })
  await trx.query(sql.write`
    update inbox_messages m set thread_id = given.into from ${given}
    where m.team_id = ${anyTeam(team)} and m.thread_id = given.id`)
  await trx.query(sql.write`
    update merged_inbox_threads m set into_id = given.into from ${given}
    where m.team_id = ${anyTeam(team)} and m.into_id = given.id`)
  await trx.query(sql.write`
    insert into merged_inbox_threads (team_id, id, inbox_id, into_id) select ${team}, id, ${inbox}, given.into from ${given}`)
  await trx.query(sql.write`
    delete from inbox_threads where team_id = ${anyTeam(team)} and id = any (${merges.map(({ id }) => id)}::uuid[])`)
}

/** A message with all that its row has. */
export interface Document {
  readonly message: FiledMessage
  readonly snippet: string
  /** Its words, as text. */
  readonly search: string
  /** A line for each of its people. */
  readonly lines: string
  readonly people: readonly Person[]
  readonly connections: Connections
}

export const insertMessages = (
  trx: Transaction,
  { team, inbox }: InboxRef,
  filed: readonly { readonly document: Document; readonly thread: string }[],
) =>
  trx.query(sql.write`
    insert into inbox_messages (team_id, inbox_id, id, thread_id, direction, is_read, "from", "to", cc, bcc, reply_to, subject,
      message_id, "references", attachments, snippet, people, search, sent_at, created_at)
    select ${team}, ${inbox}, id, thread, direction, direction = 'outbound', "from", "to", cc, bcc, "replyTo", subject,
      "messageId", "references", attachments, snippet, lines, search::tsvector, "sentAt", "createdAt"
    from ${rowsOf(
      filed.map(({ document: { message, snippet, search, lines }, thread }) => ({
        ...message,
        snippet,
        search,
        lines,
        thread,
      })),
      {
        id: 'uuid',
        thread: 'uuid',
        direction: 'text',
        from: 'text',
        to: 'jsonb',
        cc: 'jsonb',
        bcc: 'jsonb',
        replyTo: 'jsonb',
        subject: 'text',
        messageId: 'text',
        references: 'jsonb',
        attachments: 'jsonb',
        snippet: 'text',
        lines: 'text',
        search: 'text',
        sentAt: 'timestamptz',
        createdAt: 'timestamptz',
      },
    )}`)

/** Names that nobody has had, or only what is being deleted: `stale`. */
export async function insertNames(
  trx: Transaction,
  { team, inbox }: InboxRef,
  messages: readonly Connections[],
  stale: ReadonlySet<string>,
) {
  const first = new Map<string, string>()
  for (const { id, names } of messages) for (const name of names) if (!first.has(name)) first.set(name, id)
  const rows = [...first].map(([name, id]) => ({ name, id }))
  await insert(rows, sql`do nothing`)
  const again = rows.filter(({ name }) => stale.has(name))
  if (again.length > 0) await insert(again, sql`(team_id, inbox_id, name) do update set email_id = excluded.email_id`)

  function insert(given: readonly { name: string; id: string }[], conflict: Sql) {
    return trx.query(sql.write`
      insert into inbox_references (team_id, inbox_id, name, email_id)
      select ${team}, ${inbox}, decode(name, 'hex'), id from ${rowsOf(given, { name: 'text', id: 'uuid' })} on conflict ${conflict}`)
  }
}

export const insertSubjects = (trx: Transaction, { team, inbox }: InboxRef, messages: readonly Connections[]) => {
  const rows = messages.flatMap(({ id, sentAt, subjects, kind }) =>
    subjects.map((subject) => ({ subject: subjectKey(kind, subject), at: new Date(sentAt), id })),
  )
  return trx.query(sql.write`
    insert into inbox_subjects (team_id, inbox_id, name, sent_at, email_id)
    select ${team}, ${inbox}, decode(subject, 'hex'), at, id
    from ${rowsOf(rows, { subject: 'text', at: 'timestamptz', id: 'uuid' })} on conflict do nothing`)
}

/** Everybody is there once. One who writes under several names is found by each, as long as there is room. */
export const insertPeople = (trx: Transaction, { team, inbox }: InboxRef, people: readonly Person[]) =>
  trx.query(sql.write`
    insert into inbox_people as p (team_id, inbox_id, address, name, folded)
    select ${team}, ${inbox}, address, name, folded from ${rowsOf(people, { address: 'text', name: 'text', folded: 'text' })}
    order by address
    on conflict (team_id, inbox_id, address) do update set name = excluded.name, folded = p.folded || ' ' || excluded.folded
    where excluded.name is not null and length(p.folded) < 400 and position(excluded.folded in p.folded) = 0`)
