import { Problem } from './problem.ts'

/** Who acts: by a request, by SMTP, or in a job. Everything that an actor reads or writes belongs to its team. */
export interface Actor {
  readonly team: string
  readonly identity: Identity
  /** What it may do. */
  readonly permissions: Permissions
  /** Set: it sends from this domain only. */
  readonly domainId: string | null
}

export type Identity =
  | { readonly kind: 'key'; readonly id: string }
  /** Somebody who is signed in to the dashboard, and acts with the key that opened the session. */
  | { readonly kind: 'session'; readonly id: string; readonly keyId: string }
  /** A step of an automation. */
  | { readonly kind: 'automation' }
  /** Nobody in particular: where any login will do, it does not tell who it is. */
  | { readonly kind: 'anonymous' }

/** An actor of which it is known what it is. */
export type ActorOf<Kind extends Identity['kind']> = Actor & { readonly identity: Extract<Identity, { kind: Kind }> }

/** The endpoints that an actor may call, by their ids. */
export interface Permissions {
  has(endpointId: string): boolean
}

export const EVERYTHING: Permissions = { has: () => true }

/** The API key that an actor acts with, if it is one. What a key has scheduled is not sent once the key is deleted. */
export function keyOf({ identity }: Actor): string | null {
  switch (identity.kind) {
    case 'key':
      return identity.id
    case 'session':
      return identity.keyId
    case 'automation':
    case 'anonymous':
      return null
  }
}

export function requirePermission({ permissions }: Actor, endpointId: string) {
  if (permissions.has(endpointId)) return
  throw new Problem('restricted_api_key', 'This API key is restricted to only send emails.')
}
