import type { Access } from './access.ts'
import type { Actor } from './actor.ts'
import { Problem } from './problem.ts'

/** Who knows which teams can do nothing for now, and why. */
export interface TeamStates {
  load(): Promise<void>
  suspensionOf(team: string): { readonly kind: 'suspended' | 'to_be_deleted'; readonly reason: string | null } | null
}

/** How much of its quota a team has used, as headers. */
export interface UsageCounts {
  headersFor(team: string): Promise<Record<string, number>>
}

/** What people of a suspended team can do besides reading: what is about themselves, and having the team deleted or not. */
const STILL_OPEN: ReadonlySet<Access> = new Set(['person', 'owner', 'operator'])

/** A team that is suspended can be looked at by its people, and nothing else: its keys and programs are refused. */
export async function refuseSuspended(
  states: TeamStates,
  { team, identity: { kind } }: Actor,
  { method, access }: { readonly method: string; readonly access: Access },
) {
  await states.load()
  const suspension = states.suspensionOf(team)
  if (!suspension) return
  if (kind !== 'user') throw new Problem('suspended_api_key', 'This API key is suspended')
  if (method === 'GET' || STILL_OPEN.has(access)) return
  const reason = suspension.reason ? ` The reason: ${suspension.reason}` : ''
  throw new Problem(
    'invalid_permission',
    suspension.kind === 'suspended'
      ? `This team is suspended. You can look at what there is, and change nothing.${reason}`
      : 'This team is about to be deleted. You can look at what there is, and change nothing.',
  )
}
