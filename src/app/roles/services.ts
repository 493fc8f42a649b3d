import { hostAddresses } from '../../adapters/dns/host-addresses.ts'
import { chatModelOf } from '../../adapters/model/chat-model.ts'
import { OutgoingHttp } from '../../adapters/outgoing-http/outgoing-http.ts'
import { spamFilterOf } from '../../adapters/spam-filter/spam-filter.ts'
import { LastUsed } from '../../features/api-keys/last-used.ts'
import { keyStore } from '../../features/api-keys/queries.ts'
import { endDisclosedApprovals } from '../../features/approvals/links.ts'
import { actorDirectory } from '../../features/audit/actor-directory.ts'
import { EventIntake } from '../../features/automations/engine/intake.ts'
import { adoptCellKeys } from '../../features/cells/keys.ts'
import { addHealthMetrics } from '../../features/domains/health/metrics.ts'
import {
  applyDomainReport,
  findReceiver,
  findReportedDomain,
  findSenderById,
  findVerifiedDomain,
  KeyMaker,
  loadSigners,
  Senders,
} from '../../features/domains/index.ts'
import { Acceptance } from '../../features/emails/delivery/acceptance/accept.ts'
import { ErasedAddresses } from '../../features/emails/delivery/ledger/erased-addresses.ts'
import { identities } from '../../features/emails/delivery/message/identities.ts'
import { retryPolicyOf } from '../../features/emails/delivery/outcomes/retry.ts'
import { downloader } from '../../features/emails/download.ts'
import type { Feature } from '../../features/feature.ts'
import { RecipientRate } from '../../features/limits/recipient-rate.ts'
import { TeamStates } from '../../features/limits/team-states.ts'
import { UsageCounts } from '../../features/limits/usage-counts.ts'
import { prober } from '../../features/messages/checks/probe.ts'
import { MessageWaits } from '../../features/messages/waits.ts'
import { AccessTokens } from '../../features/oauth/tokens.ts'
import { Challenges } from '../../features/people/challenges.ts'
import { InvitationLimit } from '../../features/people/invitation-limit.ts'
import { endDisclosedLinks } from '../../features/people/links.ts'
import { OidcProviders } from '../../features/people/oidc/providers.ts'
import { SignInLimits } from '../../features/people/sign-in-limits.ts'
import { PolicyRefusals } from '../../features/policies/refusals.ts'
import { enterSandbox } from '../../features/sandboxes/index.ts'
import { Scenarios } from '../../features/sandboxes/simulation/scenarios.ts'
import { Wakeups } from '../../features/sandboxes/simulation/wakeups.ts'
import type { Services } from '../../features/services.ts'
import { ensureSystemTeam } from '../../features/teams/queries.ts'
import { Certificates } from '../../features/tls/certificates/certificates.ts'
import { addTlsMetrics } from '../../features/tls/metrics.ts'
import { StsPolicies } from '../../features/tls/policies/policies.ts'
import { TlsReports } from '../../features/tls/reports/reports.ts'
import { Visits } from '../../features/tracking/visits.ts'
import { Sessions } from '../../gateways/dashboard/sessions.ts'
import type { ActorDirectory } from '../../kernel/audit/actor-directory.ts'
import { Peers } from '../../kernel/db/peers.ts'
import { Authenticator } from '../../kernel/http/auth.ts'
import { RateLimit } from '../../kernel/http/rate-limit.ts'
import { KeysInFlight } from '../../kernel/idempotency/idempotency.ts'
import { StraightJobs } from '../../kernel/jobs/straight-through.ts'
import { domainOf } from '../../mail/address.ts'
import { cellsOf } from '../../platform/cell.ts'
import { LinkSigner } from '../../platform/links.ts'
import { allowsPrivateAddresses, keepsMail, publicUrl, reachableSmtpHost } from '../../platform/settings/config.ts'
import { addDatabaseMetrics } from './database-metrics.ts'
import { addQueueMetrics } from './queue-metrics.ts'
import { createRelease } from './release.ts'

/** What the services are made of: what a process opens when it starts. */
export interface ServiceParts
  extends Pick<Services, 'db' | 'config' | 'sealer' | 'blobs' | 'resolver' | 'log' | 'metrics'> {
  /** The port that links name: known once it is listened on, when the settings leave it open. */
  port?(): number
  /** The same for SMTP. */
  smtpPort?(): number
  /** Another way to others than over the network. */
  readonly outgoing?: OutgoingHttp
  readonly tlsPolicies?: StsPolicies
  readonly acmeHttp?: Services['acmeHttp']
}

/** The services with what only the routes of the dashboard and of OAuth need. */
export interface ProcessServices extends Services {
  readonly sessions: Sessions
  readonly oidc: OidcProviders
  readonly accessTokens: AccessTokens
  readonly usageCounts: UsageCounts
  /** Names who acts in audit events. */
  readonly actorDirectory: ActorDirectory
  /** Fetches from addresses that unknown clients name. */
  readonly outgoing: OutgoingHttp
  /** Whether a team gets the mail for an address that leaves from here. */
  isReceivedHere(address: string): Promise<boolean>
}

/** Called once for a process. */
export function createServices(product: Feature, { port, smtpPort, ...given }: ServiceParts): ProcessServices {
  const { db, config, sealer, log, metrics } = given
  addQueueMetrics(product, metrics, db)
  addDatabaseMetrics(metrics, db)
  addTlsMetrics(metrics, db)
  addHealthMetrics(metrics, db)
  const cells = cellsOf(config)
  const parts = { ...given, clock: db.clock, publicUrl: () => publicUrl(config, port?.()) }
  const accessTokens = new AccessTokens(parts)
  const outgoing = given.outgoing ?? new OutgoingHttp({ allowPrivateAddresses: allowsPrivateAddresses(config) })
  // For hosts that anybody names who has a domain.
  const guarded = { allowPrivateAddresses: allowsPrivateAddresses(config), addressesOf: hostAddresses(given.resolver) }
  const strangersHttp = given.outgoing ?? new OutgoingHttp(guarded)
  const teamStates = new TeamStates(db, () => adoptCellKeys(db, sealer))
  const peers = new Peers(db, 'doors')
  const usageCounts = new UsageCounts(db, teamStates)
  const links = new LinkSigner(sealer.deriveKeys('links'), cells)
  const systemTeam = once(() => ensureSystemTeam(db))
  const domains = {
    find: (team: string, id: string) => findSenderById(db, team, id),
    findByName: (name: string) => findVerifiedDomain(db, name),
    loadSigners: (team: string, id: string) => loadSigners(db, sealer, team, id),
  }
  const tlsReports = new TlsReports({ ...parts, http: strangersHttp })
  const identityOf = identities({ ...parts, domains, links, systemTeam })
  const policyRefusals = new PolicyRefusals(db, log)
  return {
    ...parts,
    accessTokens,
    actorDirectory,
    links,
    identityOf,
    release: createRelease({ ...parts, links, identityOf }),
    systemTeam,
    isReceivedHere: async (address) =>
      config.DELIVERY !== 'inbox' && (await findReceiver(db, domainOf(address)))?.isReceiving === true,
    domainReports: { find: findReportedDomain, apply: applyDomainReport },
    disclosures: {
      end: async (tokens) => (await endDisclosedLinks(db, tokens)) + (await endDisclosedApprovals(db, tokens)),
    },
    tlsReports,
    tlsPolicies:
      given.tlsPolicies ??
      new StsPolicies({ ...parts, http: strangersHttp, ...(config.TLS_REPORTS === 'on' && { reports: tlsReports }) }),
    certificates: new Certificates(parts),
    // The operator has named the authority, which may be in the same network.
    acmeHttp: given.acmeHttp ?? new OutgoingHttp({ allowPrivateAddresses: true }),
    eventIntake: new EventIntake(db),
    keysInFlight: new KeysInFlight(),
    straightJobs: new StraightJobs(),
    domainKeys: new KeyMaker(),
    outgoing,
    visits: new Visits(db, log),
    authenticator: new Authenticator(keyStore(db), accessTokens, cells),
    sessions: new Sessions(parts),
    lastUsed: new LastUsed(db, log),
    rateLimit: new RateLimit(config.RATE_LIMIT, peers),
    teamStates,
    usageCounts,
    sending: {
      senders: new Senders(db),
      download: downloader(outgoing),
      recipientRate: new RecipientRate(teamStates, peers),
      acceptance: new Acceptance(db, teamStates, {
        ...retryPolicyOf(config),
        erased: new ErasedAddresses(sealer),
        keepsMail: (team) => keepsMail(config, team),
      }),
      usageCounts,
      policyRefusals,
    },
    guardedCalls: policyRefusals,
    peers,
    invitationLimit: new InvitationLimit(),
    challenges: new Challenges(sealer),
    signInLimits: new SignInLimits(),
    model: chatModelOf(config),
    spamFilter: spamFilterOf(config),
    probe: prober(outgoing),
    oidc: new OidcProviders(config.OIDC),
    messageWaits: new MessageWaits(db, log),
    wakeups: new Wakeups(db),
    dueWork: dueWorkOf(product),
    inboxHooks: product.inboxHooks,
    retainFor: async (team) => void (await Promise.all(product.retention.map((rule) => rule.sweepTeam(parts, team)))),
    scenarios: new Scenarios(db),
    sandboxes: { enter: (actor, sandbox) => enterSandbox(db, actor, sandbox) },
    smtpAddress: () => ({ host: reachableSmtpHost(config), port: smtpPort?.() ?? config.SMTP_PORT }),
  }
}

const dueWorkOf = ({ dueMoments, subscriptions }: Feature) => ({
  moments: dueMoments,
  subscriptions: subscriptions.filter(({ mayMakeDue }) => mayMakeDue).map(({ subscription }) => subscription),
})

/** Remembers the answer. A question that failed is asked again. */
function once<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined
  return () => {
    answer ??= ask().catch((error) => {
      answer = undefined
      throw error
    })
    return answer
  }
}
