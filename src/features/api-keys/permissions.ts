import type { Static } from 'typebox'
import { FULL_ACCESS, SENDING_ACCESS } from '../../kernel/http/access.ts'
import type { Permissions } from '../../kernel/http/actor.ts'
import type { CreateApiKey } from './schema.ts'

export type Permission = Static<typeof CreateApiKey>['permission']

/** What the permissions of the API stand for. */
export const PERMISSIONS = {
  full_access: FULL_ACCESS,
  sending_access: SENDING_ACCESS,
} satisfies Record<Permission, Permissions>
