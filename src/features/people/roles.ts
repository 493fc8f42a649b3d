import type { Access } from '../../kernel/http/access.ts'
import type { Permissions } from '../../kernel/http/actor.ts'
import { ROLES, type Role } from './schema.ts'

export { ROLES, type Role }

const VIEWER: readonly Access[] = ['read', 'person']
const DEVELOPER: readonly Access[] = [...VIEWER, 'content', 'send', 'broadcast', 'compose', 'write', 'secret', 'keys']
const ADMIN: readonly Access[] = [...DEVELOPER, 'full_keys', 'grants', 'audit', 'people']

const KINDS: Record<Role, readonly Access[]> = {
  viewer: VIEWER,
  developer: DEVELOPER,
  admin: ADMIN,
  owner: [...ADMIN, 'owner'],
}

/** The roles that somebody may invite others to; a role that may not invite at all has none. */
export const rolesInvitedBy = (role: Role | undefined): readonly Role[] =>
  ROLES.filter((given) => role !== undefined && KINDS[role].includes(given === 'owner' ? 'owner' : 'people'))

/** The roles that have a kind of access, owners first. */
export const rolesWith = (access: Access): readonly Role[] => ROLES.filter((role) => KINDS[role].includes(access))

export interface MemberRights {
  readonly role: Role
  /** The team does not let viewers read what is in messages. */
  readonly hidesContent: boolean
  readonly isOperator: boolean
}

/** What a member of a team may do there. */
export const permissionsOf = ({ role, hidesContent, isOperator }: MemberRights): Permissions =>
  new Set<Access>([
    ...KINDS[role],
    ...(hidesContent ? [] : (['content'] as const)),
    ...(isOperator ? (['operator'] as const) : []),
  ])

/** What somebody may do who is signed in and in no team. */
export const permissionsOutside = ({ isOperator }: Pick<MemberRights, 'isOperator'>): Permissions =>
  new Set<Access>(isOperator ? ['person', 'operator'] : ['person'])
