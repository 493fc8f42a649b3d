import { type Cells, cellOfLink } from '../../platform/cell.ts'
import { claimedTeamOf } from '../../platform/links.ts'
import { Problem } from './problem.ts'
import { MOVE_RETRY_SECONDS, type TeamStates } from './suspension.ts'

/** The token in the path of a public route. */
export const tokenOf = (params: unknown): string | null => (params as { token?: string }).token ?? null

/**
 * The URL of the cell where a link leads: that of its team, if the team has moved there; or else the one that the link names. Null: it leads here.
 * Nobody looks at the signature: the other cell does, and no link leads anywhere but to a cell.
 */
export async function findLinkElsewhere(
  teamStates: Pick<TeamStates, 'linksOf' | 'whenMoved'>,
  cells: Cells,
  token: string,
): Promise<string | null> {
  const team = claimedTeamOf(token)
  if (team !== null && teamStates.linksOf(team)?.kind === 'moving') await teamStates.whenMoved(team)
  const state = team === null ? null : teamStates.linksOf(team)
  if (state?.kind === 'moving')
    throw new Problem('service_unavailable', 'This team is moving to another cell. Try again in a few seconds.', {
      'retry-after': MOVE_RETRY_SECONDS,
    })
  if (state) return state.kind === 'moved' ? state.url : null
  const cell = cellOfLink(token)
  return cell === null || cell === cells.own ? null : (cells.urls.get(cell) ?? null)
}
