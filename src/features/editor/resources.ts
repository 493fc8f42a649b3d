import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { isId } from '../../platform/ids.ts'
import { changeBroadcastWithin, findBroadcast, lockBroadcast } from '../broadcasts/index.ts'
import { findTemplate, lockTemplate, templateNamed, writeTemplateContent } from '../templates/index.ts'
import type { Composed } from './composing/compose.ts'
import type { EditorResource, ResourceType } from './schema.ts'
import type { EditorServices } from './services.ts'

/** The template or broadcast of a document, with its html and text. */
export interface Resource {
  readonly type: ResourceType
  readonly id: string
  readonly html: string | null
  readonly text: string | null
}

export async function requireResource(db: Queryable, team: string, named: EditorResource): Promise<Resource> {
  if (named.resource_type === 'template') {
    const { id, html, text } = found(await findTemplate(db, team, templateNamed(named.resource_id)), 'Template')
    return { type: 'template', id, html, text }
  }
  const { id, html, text } = found(await findBroadcast(db, team, requireId(named.resource_id)), 'Broadcast')
  return { type: 'broadcast', id, html, text }
}

/** Locks the row for the transaction, which serializes saves of a document. */
export async function lockResource(trx: Transaction, team: string, named: EditorResource): Promise<Resource> {
  if (named.resource_type === 'template')
    found(await lockTemplate(trx, team, templateNamed(named.resource_id)), 'Template')
  else found(await lockBroadcast(trx, team, requireId(named.resource_id)), 'Broadcast')
  return requireResource(trx, team, named)
}

function requireId(id: string): string {
  if (!isId(id)) throw new Problem('invalid_parameter', 'The `resource_id` must be a valid UUID.')
  return id
}

/** Writes the composed html and text to the template or broadcast, by its own rules. */
export function writeContent(
  trx: Transaction,
  services: EditorServices,
  {
    actor,
    resource: { type, id },
    content,
  }: {
    readonly actor: Actor
    readonly resource: Resource
    readonly content: Pick<Composed, 'html' | 'text' | 'variables'>
  },
) {
  const { html, text, variables } = content
  if (type === 'template') return writeTemplateContent(trx, actor.team, id, { html, text, used: variables })
  return changeBroadcastWithin(trx, services, { actor, id, body: { html, text } })
}
