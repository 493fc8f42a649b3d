import type { TransactionLimits } from './connections.ts'
import type { TeamShares } from './team-shares.ts'

/** Whose part of the connections a view of the database uses: each of these waits for its turn, where there is one to wait for. */
export interface Share {
  /** On each transaction; null: those of the connection. */
  readonly limits: TransactionLimits | null
  /** For a quick statement on a pipeline. */
  statement<Result>(work: () => Promise<Result>): Promise<Result>
  /** For what takes the processor for long. */
  slow<Result>(work: () => Promise<Result>): Promise<Result>
  /** For a connection of its own. */
  connection<Result>(work: () => Promise<Result>): Promise<Result>
}

/** A statement of a team that takes longer than this is canceled. Lists and metrics of millions take a second. */
const TEAM_STATEMENT_MS = 30_000
/** A request that waits longer for a lock is answered that it should come again: whoever has it may have it for long. */
export const TEAM_LOCK_MS = 10_000

const TEAM_LIMITS: TransactionLimits = { statementMs: TEAM_STATEMENT_MS, lockMs: TEAM_LOCK_MS }

const atOnce = <Result>(work: () => Promise<Result>) => work()

export const NO_SHARE: Share = { limits: null, statement: atOnce, slow: atOnce, connection: atOnce }

/** The requests of one team: within its share, and with a limit on each statement's time. */
class RequestShare implements Share {
  readonly limits = TEAM_LIMITS
  readonly #shares: TeamShares
  readonly #team: string

  constructor(shares: TeamShares, team: string) {
    this.#shares = shares
    this.#team = team
  }

  statement<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#shares.statements.run(this.#team, work)
  }

  slow<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#shares.slow.run(this.#team, work)
  }

  connection<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#shares.connections.run(this.#team, work)
  }
}

/** The jobs of one team. What it has imported and broadcast does not hold all connections of the others' jobs. */
const jobShare = (shares: TeamShares, team: string): Share => ({
  ...NO_SHARE,
  connection: (work) => shares.jobs.run(team, work),
})

export const SHARES = {
  requests: (shares: TeamShares, team: string): Share => new RequestShare(shares, team),
  jobs: jobShare,
}
