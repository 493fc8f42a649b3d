import type { Loop } from '../../platform/concurrency/loop.ts'
import type { ClaimCursor } from '../db/claim-cursor.ts'
import type { Job } from './job.ts'
import type { ClaimedJob } from './queries.ts'

const SHARED_PLACES = 4

/** The part of a pool that one team's jobs may take: what it has imported, or was sent, leaves room for the others'. */
const PER_TEAM = 3 / 4

/** Which jobs share places, and how many there are. */
export interface Share {
  readonly names: readonly string[]
  readonly places: number
  /** Takes those that were in hand when a process ended, and no others. */
  readonly isForSuspects: boolean
}

/** Jobs that share places. */
export interface JobPool extends Share {
  taken: number
  /** Of those that are taken, how many each team has. */
  readonly teams: Map<string, number>
  readonly loop: Loop
  readonly cursor: ClaimCursor
}

/**
 * Suspects run one at a time, and none of their kind beside them: when a process ends again it is known which of them it was, and those
 * that only ran beside it the first time are cleared.
 */
export function sharesOf(jobs: readonly Job[]): Share[] {
  const sharing = jobs.filter(({ places }) => places === undefined).map(({ name }) => name)
  const suspicious = jobs.filter(({ maxCrashes }) => maxCrashes !== undefined).map(({ name }) => name)
  const share = (names: readonly string[], places: number, isForSuspects = false) =>
    names.length > 0 ? [{ names, places, isForSuspects }] : []
  return [
    ...share(sharing, SHARED_PLACES),
    ...jobs.flatMap(({ name, places }) => (places === undefined ? [] : share([name], places))),
    ...share(suspicious, 1, true),
  ]
}

export const perTeam = ({ places }: Pick<JobPool, 'places'>) => Math.max(1, Math.floor(places * PER_TEAM))

export const hasFullTeam = (pool: JobPool) => [...pool.teams.values()].some((count) => count >= perTeam(pool))

/** Whose job it is; that of the installation itself is nobody's. */
export const teamOf = ({ payload }: ClaimedJob): string => (payload as { team?: string }).team ?? ''

export function countTeam({ teams }: JobPool, job: ClaimedJob, change: 1 | -1) {
  const team = teamOf(job)
  if (team === '') return
  const count = (teams.get(team) ?? 0) + change
  if (count > 0) teams.set(team, count)
  else teams.delete(team)
}
