import type {} from 'fastify'
import type { Span } from '../../platform/observability/tracing.ts'
import type { Database } from '../db/database.ts'
import type { Actor, LoggedActor } from './actor.ts'
import type { Endpoint } from './endpoint.ts'
import type { Problem } from './problem.ts'

/** One request and its answer, as they become known. Its id is in the answer's `x-request-id` and is the id of its log. */
export interface Exchange {
  readonly id: string
  readonly startedAt: number
  /** Null: nobody has said who they are, or not yet. */
  actor: Actor | null
  /** As the actor's team has it, from when it is admitted. */
  db: Database | null
  requestBody: string | null
  responseBody: string | null
  /** Gives back what the request holds until it is answered. */
  release: (() => void) | null
  /** Null: it is not traced. */
  readonly span: Span | null
}

/** What is kept of an exchange for `GET /logs`. */
export interface ExchangeRecord {
  readonly id: string
  readonly team: string
  readonly actorKind: LoggedActor['kind']
  readonly actorId: string | null
  /** As it was then. */
  readonly actorName: string | null
  readonly ipAddress: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly durationMs: number
  readonly userAgent: string | null
  readonly requestBody: string | null
  readonly responseBody: string | null
  readonly at: Date
}

/** Takes records without making anybody wait. */
export interface ExchangeLog {
  record(entry: ExchangeRecord): void
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint
    /** Set: it is also below the paths of sandboxes, and works in them then. */
    isInSandboxes?: true
    /** Set: its clients are those of another program, and know errors in another shape. */
    refusal?: (problem: Problem) => { readonly status: number; readonly text: string }
  }
}
