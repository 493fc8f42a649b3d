import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Expired } from '../../kernel/jobs/retention.ts'
import { CLI, type OAuthClient } from './client.ts'

interface KnownClient extends OAuthClient {
  /** Of a document: when it is fetched again. */
  readonly expiresAt: Date | null
}

/** A client that we know already. What a document says may be out of date: see `DocumentClients`. */
export async function findClient(db: Queryable, id: string): Promise<KnownClient | undefined> {
  if (id === CLI.id) return { ...CLI, expiresAt: null }
  // PostgreSQL keeps no text with it, and does not compare with any either.
  if (id.includes('\0')) return undefined
  const [client] = await db.query<KnownClient>(sql`
    select id, name, logo_uri as "logoUri", redirect_uris as "redirectUris", scopes, grant_types as "grantTypes",
      secret_sha256 as "secretSha256", kind, expires_at as "expiresAt"
    from oauth_clients where id = ${id}`)
  return client
}

/** Keeps a digest of the secret and not the secret. A document that was fetched again takes the place of the older one. */
export async function saveClient(db: Queryable, client: OAuthClient, expiresAt: Date | null) {
  const { id, name, logoUri, redirectUris, scopes, grantTypes, secretSha256, kind } = client
  await db.query(sql.write`
    insert into oauth_clients
      (id, name, logo_uri, redirect_uris, scopes, grant_types, secret_sha256, kind, created_at, expires_at)
    values (${id}, ${name}, ${logoUri}, ${redirectUris}, ${scopes}, ${grantTypes}, ${secretSha256}, ${kind},
      ${db.clock.now()}, ${expiresAt})
    on conflict (id) do update set name = excluded.name, logo_uri = excluded.logo_uri,
      redirect_uris = excluded.redirect_uris, scopes = excluded.scopes, grant_types = excluded.grant_types,
      expires_at = excluded.expires_at`)
}

/** Deletes some of those that nobody has ever let in. Tells whether there may be more. */
export async function deleteUnusedClients(db: Queryable, { moment: before, limit }: Expired): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from oauth_clients where id in (
      select c.id from oauth_clients c
      where coalesce(c.expires_at, c.created_at) < ${before}
        and not exists (select from oauth_grants g where g.client_id = c.id)
      limit ${limit})
    returning id`)
  return rows.length === limit
}
