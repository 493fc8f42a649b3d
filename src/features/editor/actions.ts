import { createHash } from 'node:crypto'
import { annotateAudit } from '../../kernel/audit/annotations.ts'
import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { record } from '../../kernel/outbox/record.ts'
import { type Writer, writerOf } from './authors.ts'
import { composeInWorker, importInWorker, paragraphsInWorker } from './composing/editor-pool.ts'
import { agentNameOf } from './connections.ts'
import {
  deleteOldVersions,
  type EditorDocument,
  extendVersion,
  findComposedInto,
  findDocument,
  findSource,
  findVersion,
  insertVersion,
  saveDocument,
} from './queries.ts'
import { lockResource, type Resource, requireResource, writeContent } from './resources.ts'
import { type Content, type EditorResource, MAX_VERSION_MS, VERSION_PAUSE_MS, type Warning } from './schema.ts'
import type { EditorServices } from './services.ts'

// A document and the html composed from it are written in one transaction. Html that was written directly, by the API or in the code view, is
// detected by its hash: the document is then parsed from that html, and the html is kept as a separate version before it is overwritten.

const hashOf = (text: string | null) =>
  createHash('sha256')
    .update(text ?? '')
    .digest()

/** Whether html was written directly since the document was saved. */
const isStale = (document: EditorDocument, { html }: Resource) => !document.htmlHash.equals(hashOf(html))

const isComposedFrom = (document: EditorDocument, resource: Resource) =>
  !isStale(document, resource) && document.textHash.equals(hashOf(resource.text))

/** Html that was written directly counts as a version, though it has no row yet. */
const versionOf = (document: EditorDocument | undefined, resource: Resource) =>
  document ? document.version + (isStale(document, resource) ? 1 : 0) : 0

/** The id of a resource, and the version that it has now. */
export async function readCurrentVersion({ db }: EditorServices, { team }: Actor, named: EditorResource) {
  const resource = await requireResource(db, team, named)
  return { id: resource.id, version: versionOf(await findDocument(db, team, resource.id), resource) }
}

export async function readVersion(services: EditorServices, actor: Actor, id: string) {
  const version = found(await findVersion(services.db, actor.team, id), 'Version')
  const current = await readCurrentVersion(services, actor, version)
  return { ...version, is_current: version.version === current.version }
}

export async function readContent({ db }: EditorServices, { team }: Actor, named: EditorResource) {
  const resource = await requireResource(db, team, named)
  const document = await findDocument(db, team, resource.id)
  const version = versionOf(document, resource)
  const kept = document?.version === version ? document : undefined
  const { content, source } = kept
    ? { content: kept.content, source: kept.isSource ? ('html' as const) : ('document' as const) }
    : await contentOf(db, team, resource)
  return {
    object: 'editor_content' as const,
    ...{ resource_type: resource.type, resource_id: resource.id, version, content, source },
    author: kept?.author ? { type: kept.author.type, name: kept.author.name } : null,
    updated_at: kept?.updated_at ?? null,
  }
}

/** The document parsed from html that was written directly; of a duplicate, the document of its original. */
async function contentOf(
  db: Queryable,
  team: string,
  { html, text }: Resource,
): Promise<{ content: Content; source: 'document' | 'html' }> {
  const original = html === null ? undefined : await findComposedInto(db, team, hashOf(html))
  if (original) return { content: original, source: 'document' }
  const content = html === null ? await paragraphsInWorker(team, text ?? '') : await importInWorker(team, html)
  return { content, source: 'html' }
}

interface Saved {
  readonly resource: Resource
  readonly version: number
  readonly warnings: readonly Warning[]
}

interface Update extends EditorResource {
  readonly content: Content
  readonly version?: number | undefined
}

/** Composes a document, and writes it with its html and text in one transaction. */
export async function saveContent(services: EditorServices, actor: Actor, update: Update): Promise<Saved> {
  const { db } = services
  const { team } = actor
  const composed = await composeInWorker(team, update.content, update.resource_type)
  // Parsed before the lock, since it takes a while; used only if the html is still the same under the lock.
  const before = await requireResource(db, team, update)
  const source = await sourceOf(services, actor, before)
  return db.transaction(async (trx) => {
    const resource = await lockResource(trx, team, update)
    const { author, version, document } = await beginSave(trx, actor, {
      resource,
      source: source && resource.html === before.html && resource.text === before.text ? source : null,
      expected: update.version,
    })
    await writeContent(trx, services, { actor, resource, content: composed })
    await saveDocument(trx, team, resource, {
      version,
      htmlHash: hashOf(composed.html),
      textHash: hashOf(composed.text),
    })
    if (document && canExtend(document, { author, now: trx.clock.of(team).now() }))
      await extendVersion(trx, team, {
        resource: resource.id,
        from: document.version,
        to: version,
        content: composed.content,
      })
    else await insertVersion(trx, team, { resource: resource.id, version, content: composed.content, author })
    await endSave(trx, team, { resource, version, author })
    return { resource, version, warnings: composed.warnings }
  })
}

/** The document parsed from html or text that was written directly; null: the current html was composed from the document. */
async function sourceOf({ db }: EditorServices, { team }: Actor, resource: Resource): Promise<Content | null> {
  const document = await findDocument(db, team, resource.id)
  if (document && isComposedFrom(document, resource)) return null
  if (document && !isStale(document, resource)) return document.content
  try {
    return (await contentOf(db, team, resource)).content
  } catch (error) {
    // Html that cannot be parsed into a document is still kept as a version.
    if (error instanceof Problem) return EMPTY
    throw error
  }
}

const EMPTY: Content = { type: 'doc', content: [{ type: 'container', content: [{ type: 'paragraph' }] }] }

/** Says who writes which version, and keeps what was written directly before. */
async function beginSave(
  trx: Transaction,
  actor: Actor,
  {
    resource,
    source,
    expected,
  }: { readonly resource: Resource; readonly source: Content | null; readonly expected: number | undefined },
): Promise<{ author: Writer; version: number; document: EditorDocument | undefined }> {
  const { team } = actor
  const document = await findDocument(trx, team, resource.id)
  const current = versionOf(document, resource)
  if (expected !== undefined && expected !== current)
    throw conflict(`its version is ${current}, and yours is ${expected}.`)
  const own = writerOf(actor)
  const agent = await agentNameOf(trx, team, { resource: resource.id, writer: own })
  const author: Writer = agent ? { ...own, type: 'agent', name: agent } : own
  const isEmpty = (resource.html ?? resource.text ?? '') === ''
  if (isEmpty || (document && isComposedFrom(document, resource))) return { author, version: current + 1, document }
  // Written in the moment between.
  if (source === null) throw conflict('its HTML was written directly.')
  const kept = document?.version === current ? current + 1 : current
  const { id, html, text } = resource
  await saveDocument(trx, team, resource, { version: kept, htmlHash: hashOf(html), textHash: hashOf(text) })
  const direct = { html: html ?? '', text }
  await insertVersion(trx, team, { resource: id, version: kept, content: source, author: null, source: direct })
  return { author, version: kept + 1, document: undefined }
}

const conflict = (reason: string) =>
  new Problem('version_conflict', `The document has changed: ${reason} Read it again.`)

function canExtend(
  { author: last, isSource, createdAt, updatedAt }: EditorDocument,
  { author, now }: { readonly author: Writer; readonly now: Date },
): boolean {
  const isSame = last?.type === author.type && last.id === author.id && last.name === author.name
  return (
    isSame &&
    !isSource &&
    now.getTime() - updatedAt.getTime() < VERSION_PAUSE_MS &&
    now.getTime() - createdAt.getTime() < MAX_VERSION_MS
  )
}

async function endSave(
  trx: Transaction,
  team: string,
  { resource, version, author }: { readonly resource: Resource; readonly version: number; readonly author: Writer },
) {
  await deleteOldVersions(trx, team, resource.id)
  const { type, name } = author
  await record(trx, team, 'editor.content.updated', [
    { id: resource.id, resource_type: resource.type, version, author: { type, name } },
  ])
}

/** Writes an earlier version again, as the next one. Html that was written directly comes back as it was. */
export async function restoreVersion(services: EditorServices, actor: Actor, id: string): Promise<Saved> {
  const { db } = services
  const { team } = actor
  const { content, version: wanted, ...named } = found(await findVersion(db, team, id), 'Version')
  const direct = found(await findSource(db, team, id), 'Version')
  const composed = await composeInWorker(team, content, named.resource_type)
  const before = await requireResource(db, team, named)
  const source = await sourceOf(services, actor, before)
  const written = direct.html === null ? composed : { ...composed, html: direct.html, text: direct.text ?? '' }
  return db.transaction(async (trx) => {
    const resource = await lockResource(trx, team, named)
    const isUnchanged = resource.html === before.html && resource.text === before.text
    const { version, author } = await beginSave(trx, actor, {
      resource,
      source: isUnchanged ? source : null,
      expected: undefined,
    })
    const { html, text } = written
    await writeContent(trx, services, { actor, resource, content: written })
    await saveDocument(trx, team, resource, { version, htmlHash: hashOf(html), textHash: hashOf(text) })
    await insertVersion(trx, team, {
      ...{ resource: resource.id, version, content, author },
      ...(direct.html !== null && { source: { html, text } }),
    })
    await endSave(trx, team, { resource, version, author })
    annotateAudit(trx, { objectId: resource.id, details: { resource_type: resource.type, restored: wanted, version } })
    return { resource, version, warnings: composed.warnings }
  })
}
