import type { Static } from 'typebox'
import type { Transaction } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { sql } from '../../kernel/db/sql.ts'
import { columnValues, insertion } from '../../kernel/http/columns.ts'
import { isId, newId } from '../../platform/ids.ts'
import { datedId, type Imported, keptId, type Provenance } from '../imported.ts'
import { contentAsKept, requireAlias, writeNext } from './actions.ts'
import { deleteOldVersions, findTemplate, lockTemplate, markPublished, updateTemplate } from './queries.ts'
import { type CreateTemplate, TemplateContent, type Variable } from './schema.ts'
import { requireVariables } from './variables.ts'

/** A version of another account, with the variables that it declares there. */
export interface ImportedVersion
  extends Provenance,
    Pick<Static<typeof CreateTemplate>, 'from' | 'subject' | 'reply_to' | 'html' | 'text'> {
  readonly variables: readonly Omit<Static<typeof Variable>, 'created_at' | 'updated_at'>[]
}

export interface ImportedTemplate extends Provenance {
  readonly name: string
  readonly alias: string | null
  readonly updated_at: Date
  readonly published_at: Date | null
  /** What mail is made of. Null: the template is a draft. */
  readonly published: ImportedVersion | null
  /** What was written last; the same as `published` unless it was changed since. */
  readonly current: ImportedVersion
}

/** A template of another account: one with its id or its alias is taken for the same, and gets its content as a new version. */
export async function importTemplate(trx: Transaction, team: string, template: ImportedTemplate): Promise<Imported> {
  for (const { variables } of [template.current, template.published ?? template.current]) requireVariables(variables)
  if (template.alias) requireAlias(template.alias)
  const id = keptId(template)
  const [known] = await trx.query<{ id: string }>(sql`
    select id from templates where team_id = ${team} and (id = ${id} or alias = ${template.alias})
    order by id = ${id} desc limit 1`)
  if (known) return updateKnown(trx, team, known.id, template)

  const { name, alias, created_at, updated_at, published, published_at, current } = template
  const row = { team_id: team, id, name, alias, created_at, updated_at }
  const current_version_id = await freeVersionId(trx, team, current)
  const isSame = published?.id === current.id
  const published_version_id = published && (isSame ? current_version_id : await freeVersionId(trx, team, published))
  const versions = { current_version_id, published_version_id, published_at: published && (published_at ?? updated_at) }
  await trx.query(sql.write`insert into templates ${insertion({ ...row, ...versions })}`)
  await insertImported(trx, team, { template: id, id: current_version_id, version: current })
  if (published && !isSame)
    await insertImported(trx, team, { template: id, id: published_version_id!, version: published })
  if (published) await markPublished(trx, team, published_version_id!, published_at ?? updated_at)
  return { id, outcome: 'created' }
}

/** Versions are a list of their own, newest first: the id of a version says when it was written. */
async function freeVersionId(trx: Transaction, team: string, version: ImportedVersion): Promise<string> {
  const id = keptId(version)
  const taken = await trx.query(sql`select id from template_versions where team_id = ${team} and id = ${id}`)
  return taken.length > 0 ? datedId(version) : id
}

async function insertImported(
  trx: Transaction,
  team: string,
  { template, id, version }: { template: string; id: string; version: ImportedVersion },
) {
  const { created_at, variables } = version
  const row = { team_id: team, id, template_id: template, created_at }
  const content = columnValues(TemplateContent, contentAsKept(version))
  await trx.query(sql.write`insert into template_versions ${insertion({ ...row, ...content })}`)
  const rows = variables.map((one, index) => ({
    ...one,
    id: isId(one.id) ? one.id : newId(trx.clock.of(team)),
    position: index + 1,
  }))
  await trx.query(sql.write`
    insert into template_variables (team_id, version_id, key, id, position, type, fallback_value, created_at, updated_at)
    select ${team}, ${id}, key, id, position, type, fallback_value, ${created_at}, ${created_at}
    from ${rowsOf(rows, { key: 'text', id: 'uuid', position: 'int', type: 'text', fallback_value: 'jsonb' })}`)
}

async function updateKnown(
  trx: Transaction,
  team: string,
  id: string,
  { name, current, published }: ImportedTemplate,
): Promise<Imported> {
  const versions = (await lockTemplate(trx, team, { id }))!
  const here = (await findTemplate(trx, team, { id }))!
  // What is published there and changed since is here twice at most: as it is written last.
  const isPublished = published !== null && published.id === current.id
  const isSame = sameContent(here, current)
  const isLive = here.status === 'published' && !here.has_unpublished_versions
  if (isSame && here.name === name && (isLive || !isPublished)) return { id, outcome: 'unchanged' }
  const variables = current.variables.map((one) => ({ ...one }))
  const version = isSame
    ? versions.current
    : await writeNext(trx, team, { template: versions, content: contentAsKept(current), variables })
  const now = trx.clock.of(team).now()
  const publication = isPublished ? { published_version_id: version, published_at: now } : {}
  await updateTemplate(trx, team, id, { name, current_version_id: version, ...publication })
  if (isPublished) await markPublished(trx, team, version, now)
  await deleteOldVersions(trx, team, id, version)
  return { id, outcome: 'updated' }
}

const CONTENT = ['from', 'subject', 'html', 'text'] as const

type Here = NonNullable<Awaited<ReturnType<typeof findTemplate>>>

function sameContent(here: Here, { variables, ...content }: ImportedVersion): boolean {
  const { reply_to } = contentAsKept(content)
  const declared = (list: readonly { key: string; type: string; fallback_value?: unknown }[]) =>
    JSON.stringify(list.map(({ key, type, fallback_value = null }) => [key, type, fallback_value]))
  return (
    CONTENT.every((name) => (here[name] ?? null) === (content[name] ?? null)) &&
    JSON.stringify(here.reply_to ?? null) === JSON.stringify(reply_to ?? null) &&
    declared(here.variables) === declared(variables)
  )
}
