import type { Reply } from '../../api.ts'

export type Role = Reply<'members.list'>['data'][number]['role']

/** What each may do, from the one who may do most. */
export const ROLE_LABELS: Readonly<Record<Role, string>> = {
  owner: 'full access, including owners and team deletion',
  admin: 'full access except owners and team deletion',
  developer: 'full access except members and full-access keys',
  viewer: 'read-only',
}

const ROLES = Object.keys(ROLE_LABELS) as Role[]

/** Only owners make owners. */
export const rolesFor = (isOwner: boolean) =>
  ROLES.filter((role) => isOwner || role !== 'owner').map((value) => ({
    value,
    label: `${value}: ${ROLE_LABELS[value]}`,
  }))
