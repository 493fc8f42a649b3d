import type { Phase } from '../sites/replies.ts'
import type { Identity } from '../sites/site-policy.ts'

/** What a sender knows of where a message goes, and as whom it is sent. Objects of one route are the same each time. */
export interface Route {
  /** The site by a name that says nothing about it. */
  readonly site: string
  /** Of the recipient. */
  readonly domain: string
  readonly hosts: readonly string[]
  readonly identity: Identity
}

/** What came of an attempt. Code 0: no reply, because nobody answered or TLS failed. */
export interface Answer {
  readonly code: number
  readonly enhanced: string | null
  readonly text: string
  readonly phase: Phase
  /** When the attempt began. */
  readonly startedMs: number
  readonly recipient: string
  /** Of this message, this one included. */
  readonly attempts: number
}

export interface Concurrency {
  /** At once, from the source to the site. */
  readonly connections: number
  readonly messagesPerConnection: number
}

/** A way to pace mail. It knows what a sender can know: what it sent, and what was answered. */
export interface Pacer {
  concurrency(route: Route, nowMs: number): Concurrency
  /** 0: the message may go now, and has gone. Otherwise how long to wait before asking again. */
  waitMs(route: Route, nowMs: number): number
  /** After each attempt: when the message is to be tried again, in milliseconds from now. Null: never; it was taken, or it bounced. */
  answered(route: Route, answer: Answer, nowMs: number): number | null
}

export interface Strategy {
  readonly name: string
  /** What it is, and where its numbers are from. */
  readonly about: string
  create(): Pacer
}
