import { ACCESS, type Access, GUARDED_ACCESS, OF_PEOPLE } from './access.ts'
import { howToAllowMore, type PolicyHolder, policyPage } from './policy-page.ts'
import { Problem } from './problem.ts'

/** Who acts: by a request, by SMTP, or in a job. Everything that an actor reads or writes belongs to its team. */
export interface Actor {
  readonly team: string
  readonly identity: Identity
  /** What it may do. */
  readonly permissions: Permissions
  /** As logs name it: what the key or the program is called, or the address of the person. */
  readonly name?: string
  /** Set: it sends from this domain only. */
  readonly domainId: string | null
  /** Set: mail that it sends is judged by this policy (`features/policies`). Its id is that of the key, the grant or the inbox. */
  readonly policyId?: string | null
  /** Set: it acts in a sandbox that this team has made. */
  readonly home?: string
}

export type Identity =
  | { readonly kind: 'key'; readonly id: string }
  /** Somebody who is signed in to the dashboard with a key, and acts with it. */
  | { readonly kind: 'session'; readonly id: string; readonly keyId: string }
  /** A person who is signed in to the dashboard. */
  | { readonly kind: 'user'; readonly id: string; readonly session: UserSession }
  /** A program that a person has let in, by OAuth. */
  | { readonly kind: 'token'; readonly id: string; readonly userId: string; readonly clientId: string }
  /** A step of an automation. */
  | { readonly kind: 'automation' }
  /** Nobody in particular: where any login will do, it does not tell who it is. */
  | { readonly kind: 'anonymous' }

export interface UserSession {
  readonly id: string
  /** When the person has last proven who they are. */
  readonly verifiedAt: Date
}

/** An actor of which it is known what it is. */
export type ActorOf<Kind extends Identity['kind']> = Actor & { readonly identity: Extract<Identity, { kind: Kind }> }

/** What an actor may do: the kinds of endpoints that it may call. */
export type Permissions = ReadonlySet<Access>

/** For what the program itself does. */
export const EVERYTHING: Permissions = new Set(ACCESS)

/** The API key of its team that an actor acts with, if it is one. What a key has scheduled is not sent once the key is deleted. */
export function keyOf({ identity, home }: Actor): string | null {
  if (home !== undefined) return null
  switch (identity.kind) {
    case 'key':
      return identity.id
    case 'session':
      return identity.keyId
    case 'user':
    case 'token':
    case 'automation':
    case 'anonymous':
      return null
  }
}

/** Signed in to the dashboard, with a key or as a person. */
export const isInDashboard = ({ identity: { kind } }: Actor) => kind === 'session' || kind === 'user'

/** The person who acts, by themselves or through a program that they have let in. */
export function userOf({ identity }: Actor): string | null {
  switch (identity.kind) {
    case 'user':
      return identity.id
    case 'token':
      return identity.userId
    default:
      return null
  }
}

/** Who it is, as logs name them: whoever has opened the dashboard with a key acts with that key. */
export function loggedActor({ identity }: Actor): LoggedActor {
  switch (identity.kind) {
    case 'key':
      return { kind: 'api_key', id: identity.id }
    case 'session':
      return { kind: 'api_key', id: identity.keyId }
    case 'user':
      return { kind: 'user', id: identity.id }
    case 'token':
      return { kind: 'oauth_token', id: identity.id }
    case 'automation':
      return { kind: 'automation', id: null }
    case 'anonymous':
      return { kind: 'smtp', id: null }
  }
}

export interface LoggedActor {
  readonly kind: 'api_key' | 'user' | 'oauth_token' | 'automation' | 'smtp'
  readonly id: string | null
}

export function requirePermission({ permissions, identity, policyId }: Actor, access: Access) {
  if (permissions.has(access)) return
  if (policyId && !GUARDED_ACCESS.has(access)) throw new Guarded(identity, policyId)
  if (identity.kind === 'user') throw new Problem('invalid_permission', 'Your role in this team does not allow this.')
  if (OF_PEOPLE.has(access))
    throw new Problem('invalid_permission', 'Only signed-in users can do this, in the dashboard.')
  if (identity.kind === 'token') throw new Problem('invalid_permission', 'Access token is missing required scopes.')
  throw new Problem('restricted_api_key', 'This API key is restricted to only send emails.')
}

/** For what no policy can judge. */
export function refuseGuarded({ policyId, identity }: Actor) {
  if (policyId) throw new Guarded(identity, policyId)
}

/** A policy leaves no room for a call, whatever it is about. */
export class Guarded extends Problem {
  readonly #holder: PolicyHolder
  readonly #policyId: string

  constructor({ kind }: Identity, policyId: string) {
    const isApp = kind === 'token'
    super('policy_refused', `${isApp ? 'This app' : 'This API key'} has a policy: it can only read and send emails.`)
    this.#holder = isApp ? 'oauth_grant' : 'api_key'
    this.#policyId = policyId
  }

  /** With where the policy is changed. */
  at(publicUrl: string): Problem {
    const page = policyPage(publicUrl, this.#holder, this.#policyId)
    return new Problem('policy_refused', `${this.message} ${howToAllowMore(page)}`)
  }
}

/** For acts that only a person can do: whoever has the permission and is none is a defect. */
export function requireUser(actor: Actor): ActorOf<'user'> {
  if (actor.identity.kind !== 'user') throw new Error(`${actor.identity.kind} is no person`)
  return actor as ActorOf<'user'>
}

/** A proof of who one is counts as fresh for this long. */
const FRESH_MS = 10 * 60_000

/** For dangerous acts: the person at the browser has proven a moment ago who they are, so it is not just somebody at their desk. */
export function requireFresh(actor: Actor, now: Date) {
  const { session } = requireUser(actor).identity
  if (now.getTime() - session.verifiedAt.getTime() > FRESH_MS)
    throw new Problem('verification_required', 'Confirm your identity with a passkey or an email link.')
}
