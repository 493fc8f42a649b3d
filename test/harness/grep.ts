import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTables } from '../../src/features/personal-data/tables/catalogue.ts'
import { raw, sql } from '../../src/kernel/db/sql.ts'
import { unpackBodies } from '../../src/mail/packed-bodies.ts'
import type { App } from './app.ts'
import { blobsOf } from './emails.ts'

/** Where a text stands: every column of every table, and every file. */
export async function grep(app: App, text: string): Promise<string[]> {
  const found: string[] = []
  for (const { name, columns } of await readTables(app.db))
    for (const { name: column, type } of columns) {
      const shown = type === 'bytea' ? sql`encode(${raw(`"${column}"`)}, 'escape')` : sql`${raw(`"${column}"`)}::text`
      const [row] = await app.db.query<{ count: number }>(sql`
        select count(*)::int as count from ${raw(name)} where ${shown} ilike ${`%${text}%`}`)
      if (row!.count > 0) found.push(`${name}.${column}`)
    }
  const packed = await app.db.query<{ content: Buffer }>(
    sql`select content from email_bodies where content is not null`,
  )
  const isIn = (body: string | null) => body?.toLowerCase().includes(text.toLowerCase())
  for (const { html, text: plain } of packed.map(({ content }) => unpackBodies(content)))
    if (isIn(html) || isIn(plain)) found.push('email_bodies.content')
  for (const { parentPath, name } of blobsOf(app))
    if (readFileSync(join(parentPath, name), 'latin1').toLowerCase().includes(text.toLowerCase())) found.push(name)
  return found
}
