import type { Role } from '../../features/people/roles.ts'
import { describeUserSession } from '../../features/people/sessions.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import type { Access } from '../../kernel/http/access.ts'
import { describeSession } from './queries.ts'
import type { Visitor } from './sessions.ts'

/** Who is signed in, as the page shows it. */
export interface VisitorDescription {
  /** Null: somebody with a key. */
  readonly user: { readonly id: string; readonly email: string; readonly name: string } | null
  /** Null: a person. */
  readonly key: { readonly id: string; readonly name: string } | null
  /** Null: somebody who is in no team. */
  readonly team: { readonly id: string; readonly name: string } | null
  readonly role: Role | null
  /** All teams of the person. */
  readonly teams: readonly { readonly id: string; readonly name: string; readonly role: Role }[]
  /** What they may do in this team. The server decides; the page does not offer the rest. */
  readonly access: readonly Access[]
  readonly expires_at: string
}

/** Null: the session has ended meanwhile. */
export async function describeVisitor(db: Queryable, visitor: Visitor): Promise<VisitorDescription | null> {
  const access = [...visitor.permissions]
  const { team, identity } = visitor
  if (identity.kind === 'session') {
    const session = await describeSession(db, team, identity.id)
    if (!session) return null
    const { keyId, keyName, expiresAt } = session
    return {
      user: null,
      key: { id: keyId, name: keyName },
      team: { id: team, name: session.team },
      role: null,
      teams: [],
      access,
      expires_at: expiresAt.toISOString(),
    }
  }
  const session = await describeUserSession(db, identity.session.id)
  if (!session) return null
  const { id, email, name, teams, expiresAt } = session
  const current = teams.find((one) => one.id === team)
  return {
    user: { id, email, name },
    key: null,
    team: current ? { id: current.id, name: current.name } : null,
    role: current?.role ?? null,
    teams,
    access,
    expires_at: expiresAt.toISOString(),
  }
}
