import Type, { type Static } from 'typebox'
import { referencedBlob } from '../../../kernel/blobs/loose-blobs.ts'
import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { rowsOf, toJson } from '../../../kernel/db/rows.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { columnsOf } from '../../../kernel/http/columns.ts'
import type { Rows } from '../../../kernel/http/rows.ts'
import { attachmentsOf } from '../../emails/reads.ts'
import { currentThread } from '../filing/folders.ts'
import { type DraftContent, snippetOf } from './content.ts'
import { Draft, DraftItem } from './schema.ts'

export type StoredDraft = Static<typeof Draft>
/** Without what it says, which can be megabytes. */
export type DraftHead = Omit<StoredDraft, 'html' | 'text'>

/** A file of a draft, with where it is. */
export interface DraftFile {
  readonly id: string
  readonly filename: string
  readonly content_type: string
  readonly content_id: string | null
  readonly size: number
  readonly blob: string
}

const FILE = sql`json_build_object('id', a.id, 'filename', coalesce(a.filename, ''), 'content_type', a.content_type, 'size', a.size)`

/** Those of a sent draft are the email's now. */
const COMPUTED = {
  type: sql`case when d.reply_to_email_id is null then 'standalone' else 'reply' end`,
  attachments: sql`coalesce(case when d.email_id is null then (
      select json_agg(${FILE} order by a.position) from inbox_draft_attachments a
      where a.team_id = d.team_id and a.draft_id = d.id)
    else (
      select json_agg(${FILE} order by a.id) from ${attachmentsOf({ team: sql`d.team_id`, id: sql`d.email_id` })}) end, '[]')`,
}

/** What is not sent yet; `thread`: of this one alone, also by the id of one that has become part of it. */
export const draftRows = (team: string, inbox: string, thread: string | null): Rows => ({
  columns: columnsOf(DraftItem, 'd', COMPUTED),
  from: sql`inbox_drafts d`,
  where: sql`d.team_id = ${team} and d.inbox_id = ${inbox} and d.sent_at is null
    ${thread === null ? sql`` : sql`and d.thread_id = ${currentThread(team, thread)}`}`,
  id: sql`d.id`,
})

const COLUMNS = columnsOf(Draft, 'd', COMPUTED)
const HEAD_COLUMNS = columnsOf(Type.Omit(Draft, ['html', 'text']), 'd', COMPUTED)

export interface DraftRef {
  readonly team: string
  readonly inbox: string
  readonly draft: string
}

export async function findDraft(db: Queryable, { team, inbox, draft }: DraftRef): Promise<StoredDraft | undefined> {
  const [row] = await db.query<StoredDraft>(sql`
    select ${COLUMNS} from inbox_drafts d where d.team_id = ${team} and d.inbox_id = ${inbox} and d.id = ${draft}`)
  return row
}

export async function findDraftHead(db: Queryable, { team, inbox, draft }: DraftRef): Promise<DraftHead | undefined> {
  const [row] = await db.query<DraftHead>(sql`
    select ${HEAD_COLUMNS} from inbox_drafts d
    where d.team_id = ${team} and d.inbox_id = ${inbox} and d.id = ${draft}`)
  return row
}

/** The one that answers this email and is not sent. */
export async function findReplyDraft(
  db: Queryable,
  { team, inbox, replyTo }: { readonly team: string; readonly inbox: string; readonly replyTo: string },
) {
  const [row] = await db.query<{ id: string; version: number }>(sql`
    select id, version from inbox_drafts
    where team_id = ${team} and inbox_id = ${inbox} and reply_to_email_id = ${replyTo} and sent_at is null`)
  return row
}

export interface NewDraft extends DraftRef {
  readonly content: DraftContent
  readonly thread: string | null
  readonly replyTo: string | null
  readonly forwardOf: string | null
  readonly source: 'api' | 'dashboard' | 'agent'
}

export async function insertDraft(trx: Transaction, given: NewDraft) {
  const { team, inbox, draft, content, thread, replyTo, forwardOf, source } = given
  const now = trx.clock.of(team).now()
  await trx.query(sql.write`
    insert into inbox_drafts (team_id, inbox_id, id, "to", cc, bcc, subject, html, text, snippet, thread_id, reply_to_email_id,
      forward_of_email_id, source, created_at, updated_at)
    values (${team}, ${inbox}, ${draft}, ${toJson(content.to)}, ${toJson(content.cc)}, ${toJson(content.bcc)}, ${content.subject},
      ${content.html}, ${content.text}, ${snippetOf(content)}, ${thread}, ${replyTo}, ${forwardOf}, ${source}, ${now}, ${now})`)
}

export async function updateDraft(trx: Transaction, { team, draft }: DraftRef, content: DraftContent) {
  await trx.query(sql.write`
    update inbox_drafts set version = version + 1, updated_at = ${trx.clock.of(team).now()}, "to" = ${toJson(content.to)},
      cc = ${toJson(content.cc)}, bcc = ${toJson(content.bcc)}, subject = ${content.subject}, html = ${content.html},
      text = ${content.text}, snippet = ${snippetOf(content)}, send_error = null
    where team_id = ${team} and id = ${draft}`)
}

export const deleteDraft = (trx: Transaction, { team, draft }: DraftRef) =>
  trx.query(sql.write`delete from inbox_drafts where team_id = ${team} and id = ${draft}`)

/** Schedules the draft, which makes it read-only; null: no longer scheduled. */
export async function setSendAt(
  trx: Transaction,
  { team, draft }: DraftRef,
  { sendAt, error = null }: { readonly sendAt: Date | null; readonly error?: string | null },
) {
  await trx.query(sql.write`
    update inbox_drafts set send_at = ${sendAt}, send_error = ${error} where team_id = ${team} and id = ${draft}`)
}

/** What it became stays known, and when. */
export async function markSent(trx: Transaction, { team, draft }: DraftRef, email: string) {
  await trx.query(sql.write`
    update inbox_drafts set email_id = ${email}, sent_at = ${trx.clock.of(team).now()}, send_at = null, send_error = null
    where team_id = ${team} and id = ${draft}`)
}

/** In their order. */
export const findFiles = (db: Queryable, team: string, draft: string) =>
  db.query<DraftFile>(sql`
    select id, filename, content_type, content_id, size::float8 as size, blob from inbox_draft_attachments
    where team_id = ${team} and draft_id = ${draft} order by position`)

/** Its new files, and the positions of those that it keeps. */
export async function insertFiles(
  trx: Transaction,
  { team, draft }: DraftRef,
  files: readonly (DraftFile & { readonly position: number })[],
) {
  if (files.length === 0) return
  const columns = {
    id: 'uuid',
    position: 'int',
    filename: 'text',
    content_type: 'text',
    content_id: 'text',
    size: 'bigint',
    blob: 'text',
  } as const
  await trx.query(sql.write`
    insert into inbox_draft_attachments (team_id, draft_id, id, position, filename, content_type, content_id, size, blob)
    select ${team}::uuid, ${draft}::uuid, id, position, filename, content_type, content_id, size, ${referencedBlob(sql`blob`)}
    from ${rowsOf(files, columns)}`)
}

export async function reorderFiles(
  trx: Transaction,
  { team, draft }: DraftRef,
  existing: readonly { readonly id: string; readonly position: number }[],
) {
  await trx.query(sql.write`
    update inbox_draft_attachments a set position = given.position
    from ${rowsOf(existing, { id: 'uuid', position: 'int' })}
    where a.team_id = ${team} and a.draft_id = ${draft} and a.id = given.id`)
}

/** All but those that are kept. Their contents are loose with that. */
export const deleteFiles = (trx: Transaction, { team, draft }: DraftRef, existing: readonly string[] = []) =>
  trx.query(sql.write`
    delete from inbox_draft_attachments
    where team_id = ${team} and draft_id = ${draft} and id <> all (${existing}::uuid[])`)
