import { randomBytes } from 'node:crypto'
import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { tokenDigest } from '../../kernel/http/auth.ts'
import type { LinkKind } from '../../mail/link-tokens.ts'

export interface NewLink {
  readonly email: string
  readonly method: 'link' | 'terminal'
  /** Set: it proves afresh who is in this session, and signs nobody in. */
  readonly session?: string | null
  /** Set: whoever uses it becomes an owner of this team. */
  readonly ownerOf?: string | null
  readonly makesOperator?: boolean
}

const VALID_MS = { link: 15 * 60_000, terminal: 60 * 60_000 }

/** Open ones to one address, over all processes: nobody is flooded with mail by somebody who knows their address. */
const MAX_OPEN = 5

/** Makes a link and returns its token, which is kept as a digest alone. Null: this address has enough of them. */
export async function insertLink(db: Queryable, link: NewLink): Promise<string | null> {
  const { email, method, session = null, ownerOf = null, makesOperator = false } = link
  const token = randomBytes(32).toString('base64url')
  const now = db.clock.now()
  const rows = await db.query(sql.write`
    insert into sign_in_links
      (token_sha256, email, method, session_id, owner_of, makes_operator, created_at, expires_at)
    select ${tokenDigest(token)}, ${email}, ${method}, ${session}::uuid, ${ownerOf}::uuid, ${makesOperator}::boolean, ${now}::timestamptz,
      ${new Date(now.getTime() + VALID_MS[method])}::timestamptz
    where ${method} = 'terminal'
      or (select count(*) from sign_in_links where email = ${email} and expires_at > ${now}) < ${MAX_OPEN}
    returning email`)
  return rows.length > 0 ? token : null
}

export interface SpentLink {
  readonly email: string
  readonly method: 'link' | 'terminal'
  readonly ownerOf: string | null
  readonly makesOperator: boolean
}

/** Uses a link up. `session`: the one that it is to prove, or null to sign in. Undefined: there is none, or not any more. */
export async function spendLink(db: Queryable, token: string, session: string | null): Promise<SpentLink | undefined> {
  const [link] = await db.query<SpentLink>(sql.write`
    delete from sign_in_links
    where token_sha256 = ${tokenDigest(token)} and expires_at > ${db.clock.now()}
      and session_id is not distinct from ${session}::uuid
    returning email, method, owner_of as "ownerOf", makes_operator as "makesOperator"`)
  return link
}

/** Where a token is handed in. Behind `#`, so that it is in no log and no Referer, and a scanner that opens it spends nothing. */
export const linkAddress = (publicUrl: string, what: LinkKind, token: string) =>
  `${publicUrl}/dashboard#${what}=${token}`

/**
 * Ends links whose tokens have come to where others can read them: somebody forwarded the mail, or answered it. An invitation has run out
 * then and can be sent again. Tells how many there were.
 */
export async function endDisclosedLinks(db: Queryable, tokens: Iterable<string>): Promise<number> {
  const digests = [...tokens].map(tokenDigest)
  if (digests.length === 0) return 0
  const now = db.clock.now()
  const rows = await db.query(sql.write`
    with links as (
      delete from sign_in_links where token_sha256 = any (${digests}::bytea[]) and expires_at > ${now} returning 1 as ended),
    invited as (
      update invitations set expires_at = ${now}
      where (token_sha256 = any (${digests}::bytea[]) or link_sha256 = any (${digests}::bytea[])) and expires_at > ${now}
      returning 1 as ended)
    select ended from links union all select ended from invited`)
  return rows.length
}
