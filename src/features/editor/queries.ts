import type { Static } from 'typebox'
import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import { toJson } from '../../kernel/db/rows.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { newId } from '../../platform/ids.ts'
import type { Writer } from './authors.ts'
import type { Resource } from './resources.ts'
import { type Content, EditorVersion, EditorVersionItem, MAX_VERSIONS } from './schema.ts'

/** The current version of a document, and what was composed from it. */
export interface EditorDocument {
  readonly version: number
  readonly htmlHash: Buffer
  readonly textHash: Buffer
  readonly content: Content
  /** Null: html that was written directly, whose author is unknown. */
  readonly author: Writer | null
  /** The version has html that was written directly, and nothing was composed. */
  readonly isSource: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly updated_at: string
}

export async function findDocument(db: Queryable, team: string, resource: string): Promise<EditorDocument | undefined> {
  const [document] = await db.query<EditorDocument>(sql`
    select d.version, d.html_hash as "htmlHash", d.text_hash as "textHash", v.content, v.html is not null as "isSource",
      case when v.author_id is not null then
        json_build_object('type', v.author_type, 'id', v.author_id, 'name', v.author_name) end as author,
      v.created_at as "createdAt", v.updated_at as "updatedAt", wire_time(v.updated_at) as updated_at
    from editor_documents d
    join editor_versions v on v.team_id = d.team_id and v.resource_id = d.resource_id and v.version = d.version
    where d.team_id = ${team} and d.resource_id = ${resource}`)
  return document
}

/** The document that this html was composed from, of any resource: a duplicate has the html of its original. */
export async function findComposedInto(db: Queryable, team: string, htmlHash: Buffer): Promise<Content | undefined> {
  const [row] = await db.query<{ content: Content }>(sql`
    select v.content from editor_documents d
    join editor_versions v on v.team_id = d.team_id and v.resource_id = d.resource_id and v.version = d.version
    where d.team_id = ${team} and d.html_hash = ${htmlHash} and v.html is null limit 1`)
  return row?.content
}

interface Hashes {
  readonly version: number
  readonly htmlHash: Buffer
  readonly textHash: Buffer
}

/** The columns that say what a row belongs to. */
const ownerOf = ({ type, id }: Resource): Sql =>
  type === 'template' ? sql`${id}::uuid, null::uuid` : sql`null::uuid, ${id}::uuid`

export const saveDocument = (
  trx: Transaction,
  team: string,
  resource: Resource,
  { version, htmlHash, textHash }: Hashes,
) =>
  trx.query(sql.write`
    insert into editor_documents (team_id, template_id, broadcast_id, version, html_hash, text_hash)
    values (${team}, ${ownerOf(resource)}, ${version}, ${htmlHash}, ${textHash})
    on conflict (team_id, resource_id) do update
    set version = excluded.version, html_hash = excluded.html_hash, text_hash = excluded.text_hash`)

export interface NewVersion {
  readonly resource: string
  readonly version: number
  readonly content: Content
  readonly author: Writer | null
  /** Of content that was written directly. */
  readonly source?: { readonly html: string; readonly text: string | null }
}

export function insertVersion(
  trx: Transaction,
  team: string,
  { resource, version, content, author, source }: NewVersion,
) {
  const clock = trx.clock.of(team)
  const now = clock.now()
  return trx.query(sql.write`
    insert into editor_versions
      (team_id, resource_id, id, version, content, html, text, author_type, author_id, author_name, created_at, updated_at)
    values (${team}, ${resource}, ${newId(clock, now)}, ${version}, ${toJson(content)}::json, ${source?.html ?? null},
      ${source?.text ?? null}, ${author?.type ?? null}, ${author?.id ?? null},
      ${author?.name ?? null}, ${now}, ${now})`)
}

/** Extends the last version, of the same author. */
export const extendVersion = (
  trx: Transaction,
  team: string,
  { resource, from, to, content }: { resource: string; from: number; to: number; content: Content },
) =>
  trx.query(sql.write`
    update editor_versions set version = ${to}, content = ${toJson(content)}::json, updated_at = ${trx.clock.of(team).now()}
    where team_id = ${team} and resource_id = ${resource} and version = ${from}`)

export const deleteOldVersions = (trx: Transaction, team: string, resource: string) =>
  trx.query(sql.write`
    delete from editor_versions where team_id = ${team} and resource_id = ${resource} and version <= (
      select version from editor_versions where team_id = ${team} and resource_id = ${resource}
      order by version desc offset ${MAX_VERSIONS} limit 1)`)

const COMPUTED = {
  author: sql`case when v.author_id is not null then json_build_object('type', v.author_type, 'name', v.author_name) end`,
  source: sql`case when v.html is null then 'document' else 'html' end`,
  is_current: sql`v.version = d.version`,
  resource_type: sql`case when d.template_id is null then 'broadcast' else 'template' end`,
}

const COLUMNS = columnsOf(EditorVersion, 'v', COMPUTED)

const VERSIONS = sql`editor_versions v join editor_documents d on d.team_id = v.team_id and d.resource_id = v.resource_id`

/** `current` is the version that the resource has now: none of the rows is, when html was written directly since. */
export const versionRows = (team: string, resource: string, current: number): Rows => ({
  columns: columnsOf(EditorVersionItem, 'v', { ...COMPUTED, is_current: sql`v.version = ${current}` }),
  from: VERSIONS,
  where: sql`v.team_id = ${team} and v.resource_id = ${resource}`,
  id: sql`v.id`,
})

export async function findVersion(db: Queryable, team: string, id: string) {
  const [row] = await db.query<Static<typeof EditorVersion>>(sql`
    select ${COLUMNS} from ${VERSIONS} where v.team_id = ${team} and v.id = ${id}`)
  return row
}

/** What is written again when a version is restored: html as it was, where that is what the version is. */
export async function findSource(db: Queryable, team: string, id: string) {
  const [row] = await db.query<{ html: string | null; text: string | null }>(sql`
    select html, text from editor_versions where team_id = ${team} and id = ${id}`)
  return row
}
