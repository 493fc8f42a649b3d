import type { Loop } from '../../platform/concurrency/loop.ts'
import type { ClaimCursor } from '../db/claim-cursor.ts'
import type { Job } from './job.ts'
import { type ClaimedJob, JOBS_CHANNEL, jobsChannelOf } from './queries.ts'

const SHARED_SLOTS = 4

/** The part of a pool that one team's jobs may take: what it has imported, or was sent, leaves room for the others'. */
const PER_TEAM = 3 / 4

/**
 * The part of a pool that must be free for it to claim, and of what a team may have when only its jobs are known to wait: with many slots, a
 * few jobs to a statement instead of one.
 */
const MIN_FREE_SHARE = 1 / 4

/** Which jobs share slots, and how many there are. */
export interface Share {
  readonly names: readonly string[]
  readonly slots: number
  /** Takes those that were in flight when a process ended, and no others. */
  readonly isForCrashed: boolean
  /** On which new ones are announced. What was just enqueued has crashed nobody yet. */
  readonly channels: readonly string[]
}

/** Jobs that share slots. */
export interface JobPool extends Share {
  taken: number
  /** Of those that are taken, how many each team has. */
  readonly teams: Map<string, number>
  readonly loop: Loop
  readonly cursor: ClaimCursor
  /** Slots that a claim under way may fill. */
  asked: number
  /** Those that had all they may after the last claim. */
  fullTeams: readonly string[]
  /** Something due may wait, until a claim has found less than it could have taken. */
  hasBacklog: boolean
  /** Since the last claim was sent, something went by that may be due. */
  wasPassedOver: boolean
  /** Jobs are handed over to it. */
  takesNew: boolean
  /** It was not ready, and a timer runs that wakes its loop. */
  isAskedAgain: boolean
}

export const poolOf = (share: Share, loop: Loop, cursor: ClaimCursor): JobPool => ({
  ...share,
  taken: 0,
  teams: new Map(),
  loop,
  cursor,
  asked: 0,
  fullTeams: [],
  hasBacklog: true,
  wasPassedOver: false,
  takesNew: false,
  isAskedAgain: false,
})

/**
 * Suspects run one at a time, and none of their kind beside them: when a process ends again it is known which of them it was, and those
 * that only ran beside it the first time are cleared.
 */
export function sharesOf(jobs: readonly Job[]): Share[] {
  const sharing = jobs.filter(({ concurrency }) => concurrency === undefined).map(({ name }) => name)
  const untrusted = jobs.filter(({ maxCrashes }) => maxCrashes !== undefined).map(({ name }) => name)
  const shares: Share[] = [
    { names: sharing, slots: SHARED_SLOTS, isForCrashed: false, channels: [JOBS_CHANNEL] },
    ...jobs.flatMap(({ name, concurrency: slots }) =>
      slots === undefined
        ? []
        : [{ names: [name], slots, isForCrashed: false, channels: [JOBS_CHANNEL, jobsChannelOf(name)] }],
    ),
    { names: untrusted, slots: 1, isForCrashed: true, channels: [] },
  ]
  return shares.filter(({ names }) => names.length > 0)
}

export const perTeam = ({ slots }: Pick<JobPool, 'slots'>) => Math.max(1, Math.floor(slots * PER_TEAM))

/** For how many a claim asks; 0: it is not worth one. Where nothing is known to wait it leaves slots for what is handed over meanwhile. */
export function slotsToClaim({ slots, taken, takesNew, hasBacklog }: JobPool): number {
  const free = slots - taken
  if (free < slots * MIN_FREE_SHARE) return 0
  return takesNew && !hasBacklog ? Math.ceil(free / 2) : free
}

/**
 * How many jobs may be handed over. None while others wait: they would overtake. The loop claims at least once in a second, so a backlog
 * is known that soon. They leave slots for a claim: what waits, or comes back, is found however many of them there are.
 */
export function slotsForNew({ slots, taken, asked, hasBacklog }: JobPool): number {
  if (hasBacklog) return 0
  return Math.min(slots - asked, Math.floor(slots * (1 - MIN_FREE_SHARE))) - taken
}

export const hasSlotFor = (pool: JobPool, team: string) => (pool.teams.get(team) ?? 0) < perTeam(pool)

/** The teams that have all they may, with what a claim has brought to those that ran when it was sent. */
export function fullTeamsAfter(pool: JobPool, running: ReadonlyMap<string, number>, claimed: readonly ClaimedJob[]) {
  const teams = new Map(running)
  for (const job of claimed) countTeam({ teams }, job, 1)
  return [...teams].filter(([, count]) => count >= perTeam(pool)).map(([team]) => team)
}

/**
 * Whether a job that has ended makes a claim worth it. One of a team that had all it may leaves its slot to a job of that team: nine of 36 that
 * ended one after the other were 18 claims, half of them to look for jobs of others behind those of the team, and are 2.
 */
export function isWorthAClaim(pool: JobPool, ended: ClaimedJob): boolean {
  if (!pool.hasBacklog) return false
  const team = teamOf(ended)
  if (!pool.fullTeams.includes(team)) return true
  const most = perTeam(pool)
  return most - (pool.teams.get(team) ?? 0) >= most * MIN_FREE_SHARE
}

/** Whose job it is; that of the installation itself is nobody's. */
export const teamOf = ({ payload }: ClaimedJob): string => (payload as { team?: string }).team ?? ''

export function take(pool: JobPool, job: ClaimedJob) {
  pool.taken++
  countTeam(pool, job, 1)
}

export function leave(pool: JobPool, job: ClaimedJob) {
  pool.taken--
  countTeam(pool, job, -1)
}

function countTeam({ teams }: Pick<JobPool, 'teams'>, job: ClaimedJob, change: 1 | -1) {
  const team = teamOf(job)
  if (team === '') return
  const count = (teams.get(team) ?? 0) + change
  if (count > 0) teams.set(team, count)
  else teams.delete(team)
}
