import type { BlobStore } from '../adapters/blobs/blob-store.ts'
import type { Resolver } from '../adapters/dns/resolver.ts'
import type { ChatModel } from '../adapters/model/chat-model.ts'
import type { SpamFilter } from '../adapters/spam-filter/spam-filter.ts'
import type { Database } from '../kernel/db/database.ts'
import type { Peers } from '../kernel/db/peers.ts'
import type { Authenticator, Sessions } from '../kernel/http/auth.ts'
import type { RateLimit } from '../kernel/http/rate-limit.ts'
import type { Sandboxes } from '../kernel/http/sandbox-path.ts'
import type { KeysInFlight } from '../kernel/idempotency/idempotency.ts'
import type { StraightJobs } from '../kernel/jobs/straight-through.ts'
import type { Sealer } from '../kernel/secrets.ts'
import type { Clock } from '../platform/clock.ts'
import type { MaybePromise } from '../platform/concurrency/maybe-promise.ts'
import type { LinkSigner } from '../platform/links.ts'
import type { Log } from '../platform/observability/log.ts'
import type { Metrics } from '../platform/observability/metrics.ts'
import type { Config } from '../platform/settings/config.ts'
import type { LastUsed } from './api-keys/last-used.ts'
import type { EventIntake } from './automations/engine/intake.ts'
import type { KeyMaker } from './domains/keys.ts'
import type { Email } from './emails/delivery/email.ts'
import type { Release } from './emails/delivery/transport/release.ts'
import type { SenderIdentity } from './emails/delivery/transport/sender.ts'
import type { Sending } from './emails/sending.ts'
import type { DomainReports } from './inbound/intake/domain-report-job.ts'
import type { LinkDisclosures } from './inbound/intake/read.ts'
import type { InboxHooks } from './inboxes/filing/inbox-hooks.ts'
import type { TeamStates } from './limits/team-states.ts'
import type { Probe } from './messages/checks/probe.ts'
import type { MessageWaits } from './messages/waits.ts'
import type { Challenges } from './people/challenges.ts'
import type { InvitationLimit } from './people/invitation-limit.ts'
import type { SignInLimits } from './people/sign-in-limits.ts'
import type { PolicyRefusals } from './policies/refusals.ts'
import type { DueWork } from './sandboxes/simulation/due-work.ts'
import type { Scenarios } from './sandboxes/simulation/scenarios.ts'
import type { Wakeups } from './sandboxes/simulation/wakeups.ts'
import type { Certificates } from './tls/certificates/certificates.ts'
import type { CertificateServices } from './tls/certificates/jobs.ts'
import type { StsPolicies } from './tls/policies/policies.ts'
import type { TlsReports } from './tls/reports/reports.ts'
import type { Visits } from './tracking/visits.ts'

/**
 * What acts may use besides who acts and what is asked for. Made once for a process, whatever its roles are: what is counted, remembered
 * or batched here is so for HTTP, SMTP and jobs together. For a team `db.forTeam` gives its share of the database.
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
  /** Keeps what others report about domains. */
  readonly domainReports: DomainReports
  /** The team of what the installation itself sends. */
  systemTeam(): Promise<string>
  /** In whose name an email goes out. Null: in nobody's. */
  identityOf(email: Pick<Email, 'team' | 'domainId' | 'from'>): MaybePromise<SenderIdentity | null>
  /** What it takes to send an email. */
  readonly sending: Sending
  readonly guardedCalls: Pick<PolicyRefusals, 'noteOperation'>
  /** What domains that mail goes to say about TLS. */
  readonly tlsPolicies: StsPolicies
  /** What they are told about it. */
  readonly tlsReports: TlsReports
  /** What clients see that connect over TLS. */
  readonly certificates: Certificates
  readonly acmeHttp: CertificateServices['acmeHttp']
  readonly eventIntake: EventIntake
  readonly keysInFlight: KeysInFlight
  /** Runs what this process enqueues. */
  readonly straightJobs: StraightJobs
  /** Makes the DKIM keys of domains. */
  readonly domainKeys: KeyMaker
  readonly visits: Visits
  readonly authenticator: Authenticator
  readonly sessions: Sessions
  readonly lastUsed: LastUsed
  readonly rateLimit: RateLimit
  /** Which teams are suspended, and what the limits of teams are. */
  readonly teamStates: TeamStates
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
  /** Everything that can be due for a team, as features declare it. */
  readonly dueWork: DueWork
  /** What features do about inboxes, as they declare it. */
  readonly inboxHooks: readonly InboxHooks[]
  /** Deletes what is past its time for a team, by the time of that team. */
  retainFor(team: string): Promise<void>
  /** Where clients hand in mail. */
  smtpAddress(): { readonly host: string; readonly port: number }
}
