import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { join, raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { assignments, columnsOf, columnValues, insertion, newRow } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import {
  type NewVariable,
  Template,
  TemplateContent,
  TemplateHead,
  TemplateItem,
  TemplateVersion,
  TemplateVersionItem,
  type VariableType,
} from './schema.ts'

const STATUS = sql`case when t.published_version_id is null then 'draft' else 'published' end`

const ITEM_COLUMNS = columnsOf(TemplateItem, 't', { status: STATUS })

export const templateRows = (team: string): Rows => ({
  columns: ITEM_COLUMNS,
  from: sql`templates t`,
  where: sql`t.team_id = ${team}`,
  id: sql`t.id`,
})

const variablesOf = (version: Sql) => sql`(
  select coalesce(json_agg(json_build_object('id', x.id, 'key', x.key, 'type', x.type, 'fallback_value', x.fallback_value,
    'created_at', wire_time(x.created_at), 'updated_at', wire_time(x.updated_at)) order by x.position), '[]')
  from template_variables x where x.team_id = t.team_id and x.version_id = ${version})`

const CONTENT = Object.keys(TemplateContent.properties)

const COLUMNS = columnsOf(Template, 't', {
  status: STATUS,
  ...Object.fromEntries(CONTENT.map((name) => [name, raw(`v."${name}"`)])),
  variables: variablesOf(sql`t.current_version_id`),
  has_unpublished_versions: sql`t.published_version_id is distinct from t.current_version_id`,
})

/** One template of a team. No alias looks like an id. */
export type TemplateRef = { readonly id: string } | { readonly alias: string }

const isTemplateOf = (ref: TemplateRef): Sql => ('id' in ref ? sql`t.id = ${ref.id}` : sql`t.alias = ${ref.alias}`)

/** With the content that was written last, published or not. */
export async function findTemplate(db: Queryable, team: string, ref: TemplateRef) {
  const [template] = await db.query<Static<typeof Template>>(sql`
    select ${COLUMNS} from templates t join template_versions v on v.team_id = t.team_id and v.id = t.current_version_id
    where t.team_id = ${team} and ${isTemplateOf(ref)}`)
  return template
}

const IN_USE = {
  is_current: sql`v.id = t.current_version_id`,
  is_published: sql`v.id is not distinct from t.published_version_id`,
}

const VERSION_ITEM_COLUMNS = columnsOf(TemplateVersionItem, 'v', IN_USE)
const VERSION_COLUMNS = columnsOf(TemplateVersion, 'v', { ...IN_USE, variables: variablesOf(sql`v.id`) })

const VERSIONS = sql`templates t join template_versions v on v.team_id = t.team_id and v.template_id = t.id`

export const versionRows = (team: string, ref: TemplateRef): Rows => ({
  columns: VERSION_ITEM_COLUMNS,
  from: VERSIONS,
  where: sql`t.team_id = ${team} and ${isTemplateOf(ref)}`,
  id: sql`v.id`,
})

export async function findVersion(
  db: Queryable,
  team: string,
  { template, version }: { readonly template: TemplateRef; readonly version: string },
) {
  const [row] = await db.query<Static<typeof TemplateVersion>>(sql`
    select ${VERSION_COLUMNS} from ${VERSIONS} where t.team_id = ${team} and ${isTemplateOf(template)} and v.id = ${version}`)
  return row
}

export interface PublishedTemplate {
  readonly id: string
  readonly isPublished: boolean
  readonly from: string | null
  readonly subject: string | null
  readonly reply_to: readonly string[] | null
  readonly html: string
  readonly text: string | null
  readonly variables: readonly { key: string; type: VariableType; fallback_value: unknown }[]
}

/** With the content that mail is made of. */
export async function findPublished(
  db: Queryable,
  team: string,
  ref: TemplateRef,
): Promise<PublishedTemplate | undefined> {
  const [template] = await db.query<PublishedTemplate>(sql`
    select t.id, v.id is not null as "isPublished", v."from", v.subject, v.reply_to, v.html, v.text,
      ${variablesOf(sql`t.published_version_id`)} as variables
    from templates t left join template_versions v on v.team_id = t.team_id and v.id = t.published_version_id
    where t.team_id = ${team} and ${isTemplateOf(ref)}`)
  return template
}

export interface Versions {
  readonly id: string
  readonly name: string
  readonly current: string
  readonly published: string | null
}

/** Locks the template for the transaction: edits and publications come one after the other. */
export async function lockTemplate(db: Queryable, team: string, ref: TemplateRef): Promise<Versions | undefined> {
  const [template] = await db.query<Versions>(sql`
    select t.id, t.name, t.current_version_id as current, t.published_version_id as published
    from templates t where t.team_id = ${team} and ${isTemplateOf(ref)} for update`)
  return template
}

/** Points at a version that is still to be written. Undefined when the alias is taken. */
export async function insertTemplate(
  db: Queryable,
  team: string,
  head: Static<typeof TemplateHead>,
  version: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(sql.write`
    insert into templates ${insertion({
      ...newRow(db, team),
      ...columnValues(TemplateHead, head),
      current_version_id: version,
    })}
    on conflict (team_id, alias) do nothing returning id`)
  return row?.id
}

export const updateTemplate = (db: Queryable, team: string, id: string, changes: Record<string, unknown>) =>
  db.query(sql.write`
    update templates set ${assignments(changes, db.clock.of(team).now())} where team_id = ${team} and id = ${id}`)

export async function isAliasTaken(db: Queryable, team: string, alias: string, by: string): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 as found from templates where team_id = ${team} and alias = ${alias} and id <> ${by}`,
  )
  return rows.length > 0
}

/** The content of a version as it is kept, as far as it is given: addresses are a list. */
export type Content = Partial<Omit<Static<typeof TemplateContent>, 'reply_to'>> & {
  readonly reply_to?: readonly string[] | null
}

export const insertVersion = (
  db: Queryable,
  team: string,
  { template, id, content }: { template: string; id: string; content: Content },
) =>
  db.query(sql.write`
    insert into template_versions ${insertion({
      team_id: team,
      id,
      template_id: template,
      created_at: db.clock.of(team).now(),
      ...columnValues(TemplateContent, content),
    })}`)

/** The next version: like another one, except for what is given. */
export function copyVersion(
  db: Queryable,
  team: string,
  { from, template, id, content = {} }: { from: string; template: string; id: string; content?: Content },
) {
  const given = columnValues(TemplateContent, content)
  const pieces = CONTENT.map((name) => (Object.hasOwn(given, name) ? sql`${given[name]}` : raw(`v."${name}"`)))
  return db.query(sql.write`
    insert into template_versions (team_id, id, template_id, created_at, ${raw(CONTENT.map((name) => `"${name}"`).join(', '))})
    select v.team_id, ${id}, ${template}, ${db.clock.of(team).now()}, ${join(pieces, ', ')}
    from template_versions v where v.team_id = ${team} and v.id = ${from}`)
}

export const copyVariables = (db: Queryable, team: string, from: string, version: string) =>
  db.query(sql.write`
    insert into template_variables (team_id, version_id, key, id, position, type, fallback_value, created_at, updated_at)
    select team_id, ${version}, key, id, position, type, fallback_value, created_at, updated_at
    from template_variables where team_id = ${team} and version_id = ${from}`)

/** One that was there before under the same key is the same variable, changed or not. */
export const insertVariables = (
  db: Queryable,
  team: string,
  { version, variables, former = null }: { version: string; variables: readonly NewVariable[]; former?: string | null },
) => {
  const now = db.clock.of(team).now()
  return db.query(sql.write`
    insert into template_variables (team_id, version_id, key, id, position, type, fallback_value, created_at, updated_at)
    select ${team}, ${version}, given.key, coalesce(old.id, gen_random_uuid()), given.position, given.type, given.fallback_value,
      coalesce(old.created_at, ${now}),
      case when old.type = given.type and old.fallback_value is not distinct from given.fallback_value
        then old.updated_at else ${now} end
    from ${rowsOf(
      variables.map((variable, index) => ({ ...variable, position: index + 1 })),
      { key: 'text', type: 'text', fallback_value: 'jsonb', position: 'int' },
    )}
    left join template_variables old on old.team_id = ${team} and old.version_id = ${former} and old.key = given.key`)
}

export const markPublished = (db: Queryable, team: string, version: string, now: Date) =>
  db.query(sql.write`update template_versions set published_at = ${now} where team_id = ${team} and id = ${version}`)

/** How far back one can go. */
const KEPT_VERSIONS = 50

/** Deletes drafts that were written over, and what was published too long ago. */
export const deleteOldVersions = (db: Queryable, team: string, template: string, current: string) =>
  db.query(sql.write`
    delete from template_versions where team_id = ${team} and template_id = ${template} and id <> ${current}
      and (published_at is null or id in (
        select id from template_versions
        where team_id = ${team} and template_id = ${template} and published_at is not null
        order by published_at desc, id desc offset ${KEPT_VERSIONS}))`)

export const deleteTemplate = (db: Queryable, team: string, id: string) =>
  db.query(sql.write`delete from templates where team_id = ${team} and id = ${id}`)

/** Some of the templates, by their ids and aliases. */
export const findStates = (db: Queryable, team: string, ids: readonly string[], aliases: readonly string[]) =>
  db.query<{ id: string; alias: string | null; isPublished: boolean }>(sql`
    select id, alias, published_version_id is not null as "isPublished" from templates
    where team_id = ${team} and (id = any (${ids}::uuid[]) or alias = any (${aliases}::text[]))`)
