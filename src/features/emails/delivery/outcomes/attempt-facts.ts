import { Conversation } from '../../../../adapters/smtp-client/conversation.ts'
import type { Destination } from '../../../../adapters/smtp-client/destination.ts'
import type { MailIdentities } from '../pace/identity.ts'

/** Why a session must be encrypted, or that it need not be. */
export const TLS_POLICIES = ['opportunistic', 'mta-sts', 'required'] as const
export type TlsPolicy = (typeof TLS_POLICIES)[number]

/** How an attempt goes, beside what comes of it. Filled in on the way. */
export interface AttemptFacts {
  /** Which way out: `direct`, `relay`, or the name of a route. */
  readonly route: string
  /** By the clock; the times of the conversation count from it. */
  readonly startedAt: Date
  /** Of the source that was chosen, once there is one. */
  identities: MailIdentities
  readonly dkimDomains: readonly string[]
  /** Null: nobody was found to take it. */
  readonly destination: Destination | null
  readonly conversation: Conversation
  tlsPolicy: TlsPolicy
  /** The domains that the mail links to; null: nobody had to look. */
  urlDomains: readonly string[] | null
  /** When the other side had answered. */
  endedMs: number | null
}

export const newFacts = ({
  route,
  startedAt,
  identities,
  dkimDomains,
  destination,
}: Pick<AttemptFacts, 'route' | 'startedAt' | 'identities' | 'dkimDomains' | 'destination'>): AttemptFacts => ({
  route,
  startedAt,
  identities,
  dkimDomains,
  destination,
  conversation: new Conversation(),
  tlsPolicy: destination?.tlsDemandedBy !== undefined ? 'mta-sts' : 'opportunistic',
  urlDomains: null,
  endedMs: null,
})

/** What was said over the wire, and how long that took. */
export const durationOf = ({ conversation, endedMs }: AttemptFacts): number =>
  Math.round((endedMs ?? performance.now()) - conversation.beganMs)

/** A moment of the conversation by the clock. */
export const momentIn = ({ startedAt, conversation }: AttemptFacts, ms: number | null): Date | null =>
  ms === null ? null : new Date(startedAt.getTime() + Math.round(ms - conversation.beganMs))
