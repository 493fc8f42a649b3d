/**
 * What an endpoint gives access to. Each endpoint is of one kind; who may call it is a set of kinds: a permission of a key, a scope of
 * a token, a role of a person. A new endpoint is in the right sets by its kind, and none can be forgotten.
 */
export const ACCESS = [
  /** Sending mail. */
  'send',
  /** Sending broadcasts. */
  'broadcast',
  /** Writing from inboxes: replies, forwards, drafts. */
  'compose',
  /** Reading what there is, without what follows. */
  'read',
  /** Reading messages, and bodies of requests. */
  'content',
  /** Reading secrets, such as what signs webhooks. */
  'secret',
  /** Changing things. */
  'write',
  /** API keys that may only send. */
  'keys',
  /** API keys that may do everything. Asked for by the act, since one endpoint makes both. */
  'full_keys',
  /** What programs people have let in. */
  'grants',
  /** Who did what. */
  'audit',
  /** Members, invitations, and the settings of the team. */
  'people',
  /** Deleting the team, and who owns it. */
  'owner',
  /** One's own account: passkeys, sessions, teams. Of people, whatever their team. */
  'person',
  /** All teams of the installation. */
  'operator',
] as const

export type Access = (typeof ACCESS)[number]

/** Unless the endpoint says otherwise. */
export const accessOf = (method: string): Access => (method === 'GET' ? 'read' : 'write')

/** What no key and no program can have: one that leaks lets nobody in. */
export const OF_PEOPLE: ReadonlySet<Access> = new Set<Access>(['people', 'owner', 'person', 'operator'])

/** What a key or a token with full access may do. */
export const FULL_ACCESS: ReadonlySet<Access> = new Set(ACCESS.filter((kind) => !OF_PEOPLE.has(kind)))

/** What one with a policy may do at most: whoever changes templates, segments or keys could send what the policy does not allow. */
export const GUARDED_ACCESS: ReadonlySet<Access> = new Set<Access>(['send', 'compose', 'read', 'content'])

/** What is left of permissions under a policy. */
export const guardedPermissions = (permissions: ReadonlySet<Access>): ReadonlySet<Access> =>
  new Set([...permissions].filter((access) => GUARDED_ACCESS.has(access)))

/** What one for sending may do. */
export const SENDING_ACCESS: ReadonlySet<Access> = new Set<Access>(['send', 'broadcast'])
