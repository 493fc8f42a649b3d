import type { Static } from 'typebox'
import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { columnValues, fieldsOf } from '../../kernel/http/columns.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { isId, newId } from '../../platform/ids.ts'
import {
  type Content,
  copyVariables,
  copyVersion,
  deleteOldVersions,
  deleteTemplate,
  findPublished,
  findStates,
  findTemplate,
  findVersion,
  insertTemplate,
  insertVariables,
  insertVersion,
  isAliasTaken,
  lockTemplate,
  markPublished,
  type PublishedTemplate,
  type TemplateRef,
  updateTemplate,
  type Versions,
} from './queries.ts'
import { fill, type RenderedTemplate } from './render.ts'
import { type CreateTemplate, TemplateContent, TemplateHead, type UpdateTemplate } from './schema.ts'
import type { TemplatesServices } from './services.ts'
import { declaredWith, requireVariables, type UsedVariable } from './variables.ts'

/** The template that `:idOrAlias` of a path names. */
export const templateNamed = (idOrAlias: string): TemplateRef =>
  isId(idOrAlias) ? { id: idOrAlias } : { alias: idOrAlias }

export function addTemplate(
  { db }: TemplatesServices,
  { team }: Actor,
  body: Static<typeof CreateTemplate>,
): Promise<string> {
  const { alias, variables = [] } = body
  if (alias) requireAlias(alias)
  requireVariables(variables)
  return db.transaction(async (trx) => {
    const version = newId(trx.clock.of(team))
    const id = await insertTemplate(trx, team, body, version)
    if (!id) throw aliasTaken(alias!)
    await insertVersion(trx, team, { template: id, id: version, content: contentAsKept(body) })
    await insertVariables(trx, team, { version, variables })
    return id
  })
}

/** Name and alias count at once. Content goes into a version of its own, so that what is published stays as it is. */
export function changeTemplate(
  { db }: TemplatesServices,
  { team }: Actor,
  idOrAlias: string,
  body: Static<typeof UpdateTemplate>,
) {
  const { alias, variables } = body
  if (alias) requireAlias(alias)
  if (variables) requireVariables(variables)
  return db.transaction(async (trx) => {
    const template = found(await lockTemplate(trx, team, templateNamed(idOrAlias)), 'Template')
    if (alias && (await isAliasTaken(trx, team, alias, template.id))) throw aliasTaken(alias)
    const written = contentAsKept(body)
    const isEdited = variables !== undefined || Object.keys(written).length > 0
    const version = isEdited ? await writeNext(trx, team, { template, content: written, variables }) : template.current
    await updateTemplate(trx, team, template.id, {
      ...columnValues(TemplateHead, body),
      current_version_id: version,
    })
    await deleteOldVersions(trx, team, template.id, version)
    return template.id
  })
}

/** Content that was composed, in the transaction that keeps what it was composed from. Variables that are new in it are declared. */
export async function writeTemplateContent(
  trx: Transaction,
  team: string,
  id: string,
  { html, text, used }: { readonly html: string; readonly text: string; readonly used: readonly UsedVariable[] },
) {
  const template = found(await lockTemplate(trx, team, { id }), 'Template')
  const { variables: declared } = found(await findTemplate(trx, team, { id }), 'Template')
  const variables = declaredWith(declared, used)
  const version = await writeNext(trx, team, { template, content: { html, text }, variables })
  await updateTemplate(trx, team, id, { current_version_id: version })
  await deleteOldVersions(trx, team, id, version)
}

export async function writeNext(
  trx: Transaction,
  team: string,
  {
    template: { id: template, current },
    content,
    variables,
  }: {
    readonly template: Versions
    readonly content: Content
    readonly variables: Static<typeof UpdateTemplate>['variables']
  },
): Promise<string> {
  const id = newId(trx.clock.of(team))
  await copyVersion(trx, team, { from: current, template, id, content })
  if (variables) await insertVariables(trx, team, { version: id, variables, former: current })
  else await copyVariables(trx, team, current, id)
  return id
}

/** What callers write of a content, as a version has it. */
export function contentAsKept(body: Partial<Static<typeof TemplateContent>>): Content {
  const { reply_to, ...content } = fieldsOf(TemplateContent, body)
  return { ...content, ...addresses(reply_to) }
}

/** `"a@b.c"` or `["a@b.c"]`: kept as a list, and an empty one not at all. */
function addresses(given: string | readonly string[] | null | undefined) {
  if (given === undefined) return {}
  return { reply_to: typeof given === 'string' ? [given] : given?.length ? given : null }
}

export function requireAlias(alias: string) {
  if (isId(alias)) throw new Problem('validation_error', 'Invalid `alias` field. It must not look like an id.')
}

const aliasTaken = (alias: string) =>
  new Problem('validation_error', `Invalid \`alias\` field. Another template has the alias \`${alias}\`.`)

export function removeTemplate({ db }: TemplatesServices, { team }: Actor, idOrAlias: string): Promise<string> {
  return db.transaction(async (trx) => {
    const { id } = found(await lockTemplate(trx, team, templateNamed(idOrAlias)), 'Template')
    await deleteTemplate(trx, team, id)
    return id
  })
}

/** From now on mail is made of what was written last. */
export function publishTemplate({ db, clock }: TemplatesServices, { team }: Actor, idOrAlias: string): Promise<string> {
  return db.transaction(async (trx) => {
    const { id, current, published } = found(await lockTemplate(trx, team, templateNamed(idOrAlias)), 'Template')
    if (published === current) return id
    const now = clock.of(team).now()
    await updateTemplate(trx, team, id, { published_version_id: current, published_at: now })
    await markPublished(trx, team, current, now)
    await deleteOldVersions(trx, team, id, current)
    return id
  })
}

/** Takes an earlier version up again: its content becomes what was written last, and waits for the next publication. */
export function restoreVersion(
  { db }: TemplatesServices,
  { team }: Actor,
  idOrAlias: string,
  version: string,
): Promise<string> {
  return db.transaction(async (trx) => {
    const template = templateNamed(idOrAlias)
    const { id, current } = found(await lockTemplate(trx, team, template), 'Template')
    found(await findVersion(trx, team, { template, version }), 'Template version')
    if (version === current) return id
    const next = newId(trx.clock.of(team))
    await copyVersion(trx, team, { from: version, template: id, id: next })
    await copyVariables(trx, team, version, next)
    await updateTemplate(trx, team, id, { current_version_id: next })
    await deleteOldVersions(trx, team, id, next)
    return id
  })
}

/** A draft with the content that was written last. The alias stays with the first. */
export function duplicateTemplate({ db }: TemplatesServices, { team }: Actor, idOrAlias: string): Promise<string> {
  return db.transaction(async (trx) => {
    const original = found(await lockTemplate(trx, team, templateNamed(idOrAlias)), 'Template')
    const version = newId(trx.clock.of(team))
    const name = `${original.name} (Copy)`
    const id = (await insertTemplate(trx, team, { name }, version))!
    await copyVersion(trx, team, { from: original.current, template: id, id: version })
    await copyVariables(trx, team, original.current, version)
    return id
  })
}

/** What emails are made of. Refuses a draft. */
export async function requirePublished(db: Queryable, team: string, idOrAlias: string): Promise<PublishedTemplate> {
  const template = found(await findPublished(db, team, templateNamed(idOrAlias)), 'Template')
  if (!template.isPublished)
    throw new Problem('validation_error', 'The template is a draft. Publish it before you send emails with it.')
  return template
}

/** The published content with values in it, for an email. Refuses with the reason what cannot be filled in. */
export const renderTemplate = async (
  db: Queryable,
  team: string,
  idOrAlias: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<RenderedTemplate> => fill(await requirePublished(db, team, idOrAlias), variables)

/** What mail could be made of now. */
export async function statesOfTemplates(
  db: Queryable,
  team: string,
  idsOrAliases: readonly string[],
): Promise<(idOrAlias: string) => 'published' | 'draft' | 'missing'> {
  const [ids, aliases] = [idsOrAliases.filter(isId), idsOrAliases.filter((name) => !isId(name))]
  const templates = idsOrAliases.length === 0 ? [] : await findStates(db, team, ids, aliases)
  const known = new Map(
    templates.flatMap(({ id, alias, isPublished }) => [id, alias].map((name) => [name, isPublished])),
  )
  return (idOrAlias) => {
    const isPublished = known.get(isId(idOrAlias) ? idOrAlias.toLowerCase() : idOrAlias)
    if (isPublished === undefined) return 'missing'
    return isPublished ? 'published' : 'draft'
  }
}
