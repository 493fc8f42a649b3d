import { createHash } from 'node:crypto'
import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Sealer } from '../../kernel/secrets.ts'

// Mail that a team has sent from its old cell names that cell: its links and return paths are signed with keys of it. The new cell gets those
// keys, each for one purpose, and not the secret key that they are derived from.

/** What teams take along: links, return paths, refresh tokens of programs. */
const CELL_KEY_PURPOSES = ['links', 'return-path', 'oauth refresh tokens'] as const

const contextOf = (cell: string, purpose: string, mark: string) => `cell-key:${cell}:${purpose}:${mark}`

/** The same in SQL, for the rotation of the secret key. */
export const CELL_KEYS_SEALED = {
  table: 'cell_keys',
  column: 'sealed_key',
  context: `'cell-key:' || cell || ':' || purpose || ':' || encode(mark, 'hex')`,
}

/** Keeps the keys of the cell `name`, whose sealer is `theirs`. */
export async function keepCellKeys(
  db: Queryable,
  name: string,
  { theirs, sealer }: { theirs: Sealer; sealer: Sealer },
) {
  for (const purpose of CELL_KEY_PURPOSES)
    for (const key of theirs.deriveKeys(purpose)) {
      const mark = createHash('sha256').update(key).digest()
      const sealed = sealer.seal(key.toString('hex'), contextOf(name, purpose, mark.toString('hex')))
      await db.query(sql.write`
        insert into cell_keys (cell, purpose, mark, sealed_key) values (${name}, ${purpose}, ${mark}, ${sealed})
        on conflict do nothing`)
    }
}

/** Lets this process read what the other cells have signed. */
export async function adoptCellKeys(db: Queryable, sealer: Sealer): Promise<void> {
  const rows = await db.query<{ cell: string; purpose: string; mark: Buffer; sealed: Buffer }>(sql`
    select cell, purpose, mark, sealed_key as sealed from cell_keys order by cell, purpose, mark`)
  for (const { cell, purpose, mark, sealed } of rows)
    sealer.adopt(purpose, [Buffer.from(sealer.open(sealed, contextOf(cell, purpose, mark.toString('hex'))), 'hex')])
}
