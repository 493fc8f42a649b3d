import type { MaybePromise } from '../../platform/concurrency/maybe-promise.ts'
import type { Access } from './access.ts'
import type { Actor } from './actor.ts'
import { Problem } from './problem.ts'

/** Who knows which teams can do nothing for now, and why. */
export interface TeamStates {
  /** Whether it is known yet; `load` resolves when it is. */
  readonly isLoaded: boolean
  load(): Promise<void>
  suspensionOf(team: string): SuspensionOf | null
  /** Where the links of a team lead that moves to another cell or has moved. Null: here. */
  linksOf(team: string): LinkState | null
  /** Resolves when a team that is held for a move is not held any more, or when this has lasted too long. */
  whenMoved(team: string): Promise<void>
}

/** `moving`: for seconds, while a team changes cells. `moved`: for good; the reason names the cell. */
export interface SuspensionOf {
  readonly kind: 'suspended' | 'to_be_deleted' | 'moving' | 'moved'
  readonly reason: string | null
}

/** `here`: it came from another cell, and its old links are good here. A URL: that of the cell where they lead. */
export type LinkState = { readonly kind: 'here' | 'moving' } | { readonly kind: 'moved'; readonly url: string }

/** How much of its quota a team has used, as headers. */
export interface UsageCounts {
  headersFor(team: string): MaybePromise<Record<string, number>>
}

/** What people of a suspended team can do besides reading: what is about themselves, and having the team deleted or not. */
const STILL_OPEN: ReadonlySet<Access> = new Set(['person', 'owner', 'operator'])

/** A team is held for a few seconds when it moves. */
export const MOVE_RETRY_SECONDS = 5

/**
 * Nothing is written for a team that changes cells. Asked again right before something is: a request may have begun, and its body may have taken
 * its time, before the team was held.
 */
export function refuseMoving(states: Pick<TeamStates, 'suspensionOf'>, team: string) {
  const suspension = states.suspensionOf(team)
  if (suspension?.kind === 'moving')
    throw new Problem('service_unavailable', 'This team is moving to another cell. Try again in a few seconds.', {
      'retry-after': MOVE_RETRY_SECONDS,
    })
  if (suspension?.kind === 'moved') throw new Problem('wrong_cell', `This team lives in ${suspension.reason}`)
}

/** A team that is suspended can be looked at by its people, and nothing else: its keys and programs are refused. */
export function refuseSuspended(
  states: Pick<TeamStates, 'suspensionOf'>,
  { team, identity: { kind } }: Actor,
  { method, access }: { readonly method: string; readonly access: Access },
) {
  refuseMoving(states, team)
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
