import { createHash } from 'node:crypto'
import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { DIGESTS, type Sealer } from '../../kernel/secrets.ts'

// Mail that a team has sent from its old cell names that cell: its links and return paths are signed with keys of it. The new cell gets those
// keys, each for one purpose, and not the secret key that they are derived from. People who were erased are on the team's suppression list as
// digests by a key of the old cell: an import brings that one, too.

/** What teams take along: links, return paths, refresh tokens of programs, digests of erased addresses. */
const CELL_KEY_PURPOSES = ['links', 'return-path', 'oauth refresh tokens', DIGESTS] as const

/** In the place of a cell: what an import has brought. No cell can be called that. */
const IMPORT = '(import)'

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
    for (const key of theirs.deriveKeys(purpose)) await keepKey(db, sealer, { cell: name, purpose, key })
}

/** Keeps a key of digests that an import has brought. */
export const keepDigestKey = (db: Queryable, sealer: Sealer, key: Buffer) =>
  keepKey(db, sealer, { cell: IMPORT, purpose: DIGESTS, key })

async function keepKey(
  db: Queryable,
  sealer: Sealer,
  { cell, purpose, key }: { cell: string; purpose: string; key: Buffer },
) {
  const mark = createHash('sha256').update(key).digest()
  const sealed = sealer.seal(key.toString('hex'), contextOf(cell, purpose, mark.toString('hex')))
  await db.query(sql.write`
    insert into cell_keys (cell, purpose, mark, sealed_key) values (${cell}, ${purpose}, ${mark}, ${sealed})
    on conflict do nothing`)
}

/** Lets this process read what others have signed, and know whom they have erased. */
export async function adoptCellKeys(db: Queryable, sealer: Sealer): Promise<void> {
  const rows = await db.query<{ cell: string; purpose: string; mark: Buffer; sealed: Buffer }>(sql`
    select cell, purpose, mark, sealed_key as sealed from cell_keys order by cell, purpose, mark`)
  for (const { cell, purpose, mark, sealed } of rows)
    sealer.adopt(purpose, [Buffer.from(sealer.open(sealed, contextOf(cell, purpose, mark.toString('hex'))), 'hex')])
}
