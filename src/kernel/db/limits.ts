/** How long we wait for what. Every wait for the database ends, also when nothing comes back at all. */
export interface Limits {
  /** For a connection to one host, until it can be used. `connect_timeout` in the URL says otherwise. */
  readonly connectMs: number
  /** The same while the server answers on other connections: it is there, and comes to this one later. */
  readonly crowdedMs: number
  /** For a pooled connection to become free. */
  readonly poolMs: number
  /** A connection that nobody has used for longer is not used again: a firewall may have forgotten it. */
  readonly idleMs: number
  /** For one statement on a pipelined connection; PostgreSQL itself cancels it then. */
  readonly quickMs: number
  /** For one statement on a pooled connection; PostgreSQL itself cancels it then. */
  readonly slowMs: number
  /** For a lock, in a statement on a pooled connection. Shorter than a client waits for an answer, or an idle connection is kept. */
  readonly lockMs: number
  /** After so long without a byte the database is asked on another connection whether it works at the statement at all. */
  readonly probeAfterMs: number
  /** For the answer to that. */
  readonly probeMs: number
}

export const LIMITS: Limits = {
  connectMs: 5_000,
  crowdedMs: 30_000,
  poolMs: 5_000,
  idleMs: 10_000,
  quickMs: 10_000,
  slowMs: 120_000,
  lockMs: 20_000,
  probeAfterMs: 2_000,
  probeMs: 3_000,
}

/** Our own limit for a statement is so much longer than PostgreSQL's: while it is alive, its word comes first. */
export const MARGIN_MS = 2_000
