import type { Reply } from '../../api.ts'

export type Role = Reply<'members.list'>['data'][number]['role']

/** What each may do, from the one who may do most. */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: 'everything, also owners and deleting the team',
  admin: 'everything but owners and deleting the team',
  developer: 'everything but people and keys with full access',
  viewer: 'look, and change nothing',
}

const ROLES = Object.keys(ROLE_WORDS) as Role[]

/** Only owners make owners. */
export const rolesFor = (isOwner: boolean) =>
  ROLES.filter((role) => isOwner || role !== 'owner').map((value) => ({
    value,
    label: `${value}: ${ROLE_WORDS[value]}`,
  }))
