import type { Reply } from '../../api.ts'
import { texts } from './texts.ts'

type Role = Reply<'members.list'>['data'][number]['role']

/** What each may do, from the one who may do most. */
const LABELS: Readonly<Record<Role, string>> = texts.roles

const ROLES = Object.keys(LABELS) as Role[]

/** Only owners make owners. */
export const rolesFor = (isOwner: boolean) =>
  ROLES.filter((role) => isOwner || role !== 'owner').map((value) => ({
    value,
    label: LABELS[value],
  }))
