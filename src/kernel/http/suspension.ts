import type { MaybePromise } from '../../platform/concurrency/maybe-promise.ts'
import type { Access } from './access.ts'
import type { Actor } from './actor.ts'
import { Problem } from './problem.ts'

/** Who knows which teams can do nothing for now, and why. */
export interface TeamStates {
  /** Whether it is known yet; `load` resolves when it is. */
  readonly isLoaded: boolean
  load(): Promise<void>
  suspensionOf(team: string): { readonly kind: 'suspended' | 'to_be_deleted'; readonly reason: string | null } | null
}

/** How much of its quota a team has used, as headers. */
export interface UsageCounts {
  headersFor(team: string): MaybePromise<Record<string, number>>
}

/** What people of a suspended team can do besides reading: what is about themselves, and having the team deleted or not. */
const STILL_OPEN: ReadonlySet<Access> = new Set(['person', 'owner', 'operator'])

/** A team that is suspended can be looked at by its people, and nothing else: its keys and programs are refused. */
export function refuseSuspended(
  states: Pick<TeamStates, 'suspensionOf'>,
  { team, identity: { kind } }: Actor,
  { method, access }: { readonly method: string; readonly access: Access },
) {
  const suspension = states.suspensionOf(team)
  if (!suspension) return
  if (kind !== 'user') throw new Problem('suspended_api_key', 'This API key is suspended')
  if (method === 'GET' || STILL_OPEN.has(access)) return
  const reason = suspension.reason ? ` The reason: ${suspension.reason}` : ''
  throw new Problem(
    'invalid_permission',
    suspension.kind === 'suspended'
      ? `This team is suspended: access is read-only.${reason}`
      : 'This team is scheduled for deletion: access is read-only.',
  )
}
