import type { Static } from 'typebox'
import { type KeyStore, tokenDigest, tokenPrefix } from '../../http/auth.ts'
import { columnsOf, columnValues, insertion, newUndatedRow, undatedAssignments } from '../../http/columns.ts'
import type { Rows } from '../../http/rows.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { rowsOf } from '../../platform/db/rows.ts'
import { sql } from '../../platform/db/sql.ts'
import { PERMISSIONS, type Permission } from './permissions.ts'
import { ApiKeyItem, CreateApiKey, UpdateApiKey } from './schema.ts'

const COLUMNS = columnsOf(ApiKeyItem, 'k')

export const apiKeyRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`api_keys k`,
  where: sql`k.team_id = ${team}`,
  id: sql`k.id`,
})

/** Keeps a digest of the token and not the token. A token that is there already stays as it is. */
export async function insertApiKey(
  db: Queryable,
  team: string,
  key: Static<typeof CreateApiKey> & { token: string },
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(sql`
    insert into api_keys ${insertion({
      ...newUndatedRow(db, team),
      ...columnValues(CreateApiKey, key),
      token_prefix: tokenPrefix(key.token),
      token_sha256: tokenDigest(key.token),
    })}
    on conflict (token_sha256) do nothing returning id`)
  return row?.id
}

export async function updateApiKey(
  db: Queryable,
  team: string,
  id: string,
  changes: Static<typeof UpdateApiKey>,
): Promise<boolean> {
  const rows = await db.query(sql`
    update api_keys set ${undatedAssignments(columnValues(UpdateApiKey, changes))}
    where team_id = ${team} and id = ${id} returning id`)
  return rows.length > 0
}

export async function deleteApiKey(db: Queryable, team: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from api_keys where team_id = ${team} and id = ${id} returning id`)
  return rows.length > 0
}

interface KeyRow {
  readonly id: string
  readonly team: string
  readonly permission: Permission
  readonly domainId: string | null
  readonly tokenSha256: Buffer
}

/** The one look-up that knows no team: it is what finds out whose request this is. */
export const keyStore = (db: Queryable): KeyStore => ({
  async findByPrefix(prefix) {
    const rows = await db.query<KeyRow>(sql`
      select id, team_id as team, permission, domain_id as "domainId", token_sha256 as "tokenSha256"
      from api_keys where token_prefix = ${prefix}`)
    return rows.map(({ id, team, permission, domainId, tokenSha256 }) => ({
      actor: { team, identity: { kind: 'key', id }, permissions: PERMISSIONS[permission], domainId },
      tokenSha256,
    }))
  },
})

/** Never moves a time back: several processes report what they saw, in any order. */
export const saveLastUses = (db: Queryable, uses: ReadonlyMap<string, Date>) => {
  const seen = [...uses].map(([key, at]) => ({ key, at }))
  return db.query(sql`
    update api_keys set last_used_at = greatest(last_used_at, seen.at)
    from ${rowsOf(seen, { key: 'uuid', at: 'timestamptz' }, 'seen')}
    where id = seen.key`)
}
