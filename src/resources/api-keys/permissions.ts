import type { Static } from 'typebox'
import { EVERYTHING, type Permissions } from '../../http/actor.ts'
import type { CreateApiKey } from './schema.ts'

export type Permission = Static<typeof CreateApiKey>['permission']

/** What the permissions of the API stand for: the ids of the endpoints that a key may call. */
export const PERMISSIONS = {
  full_access: EVERYTHING,
  sending_access: new Set(['emails.send', 'emails.batch', 'broadcasts.send']),
} satisfies Record<Permission, Permissions>
