import type { Sink } from '../sink.ts'

/** Another program that does a part of the same work. */
export interface Peer {
  readonly name: string
  /** What an accepted email has survived to when the program says so: the figures mean nothing without it. */
  readonly guarantee: string
  /** Fetches what it needs, once for all runs. Throws with the reason when it cannot be had here. */
  install(): Promise<{ version: string }>
  /** Resolves when it answers. */
  start(world: { sink: Sink }): Promise<RunningPeer>
}

export interface RunningPeer {
  /** All that it consists of are descendants of this process. */
  readonly pid: number
  readonly startMs: number
  readonly http?: HttpEndpoint
  readonly smtp?: SmtpEndpoint
  /** Resolves when nothing is left to do, for programs that go on working after the last answer. */
  settled?(): Promise<void>
  stop(): Promise<void>
}

export interface HttpEndpoint {
  /** That of `POST /emails`. */
  readonly url: string
  /** Some limit the requests of a key, so a round may need one of its own. */
  keyOf(round: number): string
}

export interface SmtpEndpoint {
  readonly port: number
  /** Null: it takes mail from this machine without a login. */
  readonly credentials: { username: string; password: string } | null
  /** False: it keeps what it takes. */
  readonly isRelay: boolean
}
