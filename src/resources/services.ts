import type { EventIntake } from '../automations/intake.ts'
import type { Acceptance } from '../delivery/accept.ts'
import type { Email } from '../delivery/email.ts'
import type { Release } from '../delivery/release.ts'
import type { SenderIdentity } from '../delivery/smtp-transport.ts'
import type { Authenticator, Sessions } from '../http/auth.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { Sandboxes } from '../http/sandbox-path.ts'
import type { LinkDisclosures } from '../inbound/read.ts'
import type { Scenarios } from '../laboratory/scenarios.ts'
import type { Wakeups } from '../laboratory/wakeups.ts'
import type { RecipientRate } from '../limits/recipient-rate.ts'
import type { TeamStates } from '../limits/team-states.ts'
import type { UsageCounts } from '../limits/usage-counts.ts'
import type { Challenges } from '../people/challenges.ts'
import type { InvitationLimit } from '../people/invitation-limit.ts'
import type { SignInLimits } from '../people/sign-in-limits.ts'
import type { BlobStore } from '../platform/blobs/blob-store.ts'
import type { ChatModel } from '../platform/chat-model/chat-model.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import type { Peers } from '../platform/db/peers.ts'
import type { Resolver } from '../platform/dns/resolver.ts'
import type { LinkSigner } from '../platform/links.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { SpamFilter } from '../platform/spam-filter/spam-filter.ts'
import type { LastUsed } from './api-keys/last-used.ts'
import type { KeyMaker } from './domains/keys.ts'
import type { Senders } from './domains/senders.ts'
import type { Download } from './emails/attachments.ts'
import type { KeysInFlight } from './idempotency.ts'
import type { Probe } from './messages/checks/probe.ts'
import type { MessageWaits } from './messages/waits.ts'
import type { Visits } from './tracking/visits.ts'

/**
 * What acts may use besides who acts and what is asked for. Made once for a process, whatever its roles are: what is counted, remembered
 * or batched here is so for HTTP, SMTP and jobs together. For a team `servicesOf` gives its share of them.
 */
export interface Services {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
  readonly sealer: Sealer
  readonly blobs: BlobStore
  readonly resolver: Resolver
  readonly log: Log
  readonly metrics: Metrics
  /** Where people and other programs reach this installation. */
  publicUrl(): string
  /** Signs the links that need no key. */
  readonly links: LinkSigner
  /** Ends links that sign people in when others can read them. */
  readonly disclosures: LinkDisclosures
  /** The team of what the installation itself sends. */
  systemTeam(): Promise<string>
  /** In whose name an email goes out. Null: in nobody's. */
  identityOf(email: Pick<Email, 'team' | 'domainId' | 'from'>): Promise<SenderIdentity | null>
  readonly acceptance: Acceptance
  readonly eventIntake: EventIntake
  readonly senders: Senders
  readonly keysInFlight: KeysInFlight
  /** Makes the DKIM keys of domains. */
  readonly domainKeys: KeyMaker
  readonly download: Download
  readonly visits: Visits
  readonly authenticator: Authenticator
  readonly sessions: Sessions
  readonly lastUsed: LastUsed
  readonly rateLimit: RateLimit
  /** Which teams are suspended, and what the limits of teams are. */
  readonly teamStates: TeamStates
  readonly usageCounts: UsageCounts
  readonly recipientRate: RecipientRate
  /** The processes that take requests, by HTTP or SMTP. */
  readonly peers: Peers
  readonly invitationLimit: InvitationLimit
  readonly challenges: Challenges
  readonly signInLimits: SignInLimits
  /** What the agents of inboxes ask. Null: the installation has none. */
  readonly model: ChatModel | null
  /** The way out for single messages. Null: there is none. */
  readonly release: Release | null
  /** Who waits for messages in this process. */
  readonly messageWaits: MessageWaits
  /** What checks of messages ask for a score. Null: the installation has none. */
  readonly spamFilter: SpamFilter | null
  /** Looks whether an address on the web is there. */
  readonly probe: Probe
  /** Lets somebody act in a sandbox. */
  readonly sandboxes: Sandboxes
  /** What the outside world does to sandboxes. */
  readonly scenarios: Scenarios
  /** Tells who moves the clock of a sandbox that something was finished in it. */
  readonly wakeups: Wakeups
  /** Deletes what is past its time for a team, by the time of that team. */
  retainFor(team: string): Promise<void>
  /** Where clients hand in mail. */
  smtpAddress(): { readonly host: string; readonly port: number }
}
