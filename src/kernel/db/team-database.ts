import { Database, type Transaction } from './database.ts'
import type { Sql } from './sql.ts'

/** A statement of a team that takes longer than this is canceled. Lists and metrics of millions take a second. */
const TEAM_STATEMENT_MS = 30_000
/** A request that waits longer for a lock is answered that it should come again: whoever has it may have it for long. */
export const TEAM_LOCK_MS = 10_000

const TEAM_LIMITS = { statementMs: TEAM_STATEMENT_MS, lockMs: TEAM_LOCK_MS }

/** The database as the requests of one team may use it: within the team's share, and with a limit on each statement's time. */
export class TeamDatabase extends Database {
  readonly #team: string

  constructor(database: Database, team: string) {
    super(database)
    this.#team = team
  }

  override query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return this.shares.statements.run(this.#team, () => super.query<Row>(statement))
  }

  /** In a transaction, which is where a limit on its time can be set for it alone. */
  override queryPooled<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return this.shares.slow.run(this.#team, () => this.transaction((trx) => trx.query<Row>(statement)))
  }

  override queryWriting<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return this.transaction((trx) => trx.query<Row>(statement))
  }

  override searching<Result>(work: (trx: Transaction) => Promise<Result>): Promise<Result> {
    return this.shares.slow.run(this.#team, () => super.searching(work))
  }

  override transaction<Result>(work: (trx: Transaction) => Promise<Result>): Promise<Result> {
    return this.shares.connections.run(this.#team, () => super.transaction(work, TEAM_LIMITS))
  }
}

/** The database as jobs may use it. What one team has imported and broadcast does not hold all connections of the others' jobs. */
export class JobDatabase extends Database {
  readonly #team: string

  constructor(database: Database, team: string) {
    super(database)
    this.#team = team
  }

  override queryPooled<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return this.shares.jobs.run(this.#team, () => super.queryPooled<Row>(statement))
  }

  override transaction<Result>(work: (trx: Transaction) => Promise<Result>): Promise<Result> {
    return this.shares.jobs.run(this.#team, () => super.transaction(work))
  }
}
