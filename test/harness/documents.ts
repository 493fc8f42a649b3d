import { createHash } from 'node:crypto'
import { sql } from '../../src/kernel/db/sql.ts'
import type { App } from './app.ts'
import { newId } from './ids.ts'

// Documents of the editor, as programs write them.

export const textNode = (text: string, ...marks: readonly object[]) => ({
  type: 'text',
  text,
  ...(marks.length > 0 && { marks }),
})

export const paragraphOf = (text: string) => ({ type: 'paragraph', content: [textNode(text)] })

/** A document with these blocks. */
export const documentOf = (...blocks: readonly object[]) => ({
  type: 'doc',
  content: [{ type: 'container', content: blocks }],
})

export const saying = (text: string) => documentOf(paragraphOf(text))

/** A picture of one point, as base64, that is like no other: what follows the end of one is not looked at. */
export const imageOf = (words: string) =>
  Buffer.concat([
    Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
    Buffer.from(words),
  ]).toString('base64')

/** The document of a template as if it had been saved; gives the id of its version. Composing one takes a thread, which is slow to start. */
export async function addDocument({ db }: Pick<App, 'db'>, team: string, template: string): Promise<string> {
  const [row] = await db.query<{ html: string; text: string | null }>(sql`
    select v.html, v.text from templates t join template_versions v on v.team_id = t.team_id and v.id = t.current_version_id
    where t.team_id = ${team} and t.id = ${template}`)
  const hashOf = (text: string | null) =>
    createHash('sha256')
      .update(text ?? '')
      .digest()
  await db.query(sql`
    insert into editor_documents (team_id, template_id, version, html_hash, text_hash)
    values (${team}, ${template}, 1, ${hashOf(row!.html)}, ${hashOf(row!.text)})`)
  return addVersion({ db }, team, template, 1)
}

export async function addVersion({ db }: Pick<App, 'db'>, team: string, template: string, version: number) {
  const id = newId()
  await db.query(sql`
    insert into editor_versions (team_id, resource_id, id, version, content, created_at, updated_at)
    values (${team}, ${template}, ${id}, ${version}, ${JSON.stringify(saying('Hello'))}, now(), now())`)
  return id
}
