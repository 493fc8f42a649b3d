import { EventIntake } from '../automations/intake.ts'
import { Sessions } from '../dashboard/sessions.ts'
import { Acceptance } from '../delivery/accept.ts'
import { identities } from '../delivery/identities.ts'
import { Authenticator } from '../http/auth.ts'
import { RateLimit } from '../http/rate-limit.ts'
import { Scenarios } from '../laboratory/scenarios.ts'
import { Wakeups } from '../laboratory/wakeups.ts'
import { RecipientRate } from '../limits/recipient-rate.ts'
import { TeamStates } from '../limits/team-states.ts'
import { UsageCounts } from '../limits/usage-counts.ts'
import { domainOf } from '../mail/address.ts'
import { AccessTokens } from '../oauth/tokens.ts'
import { Challenges } from '../people/challenges.ts'
import { InvitationLimit } from '../people/invitation-limit.ts'
import { endDisclosedLinks } from '../people/links.ts'
import { OidcProviders } from '../people/oidc/providers.ts'
import { SignInLimits } from '../people/sign-in-limits.ts'
import { chatModelOf } from '../platform/chat-model/chat-model.ts'
import { allowsPrivateAddresses, publicUrl, reachableSmtpHost } from '../platform/config.ts'
import { Peers } from '../platform/db/peers.ts'
import { LinkSigner } from '../platform/links.ts'
import { OutgoingHttp } from '../platform/outgoing-http/outgoing-http.ts'
import { spamFilterOf } from '../platform/spam-filter/spam-filter.ts'
import { LastUsed } from '../resources/api-keys/last-used.ts'
import { keyStore } from '../resources/api-keys/queries.ts'
import {
  findReceiver,
  findSenderById,
  findVerifiedDomain,
  KeyMaker,
  loadSigners,
  Senders,
} from '../resources/domains/actions.ts'
import { downloader } from '../resources/emails/download.ts'
import { KeysInFlight } from '../resources/idempotency.ts'
import { RETENTIONS } from '../resources/index.ts'
import { prober } from '../resources/messages/checks/probe.ts'
import { MessageWaits } from '../resources/messages/waits.ts'
import { enterSandbox } from '../resources/sandboxes/actions.ts'
import type { Services } from '../resources/services.ts'
import { ensureSystemTeam } from '../resources/teams/queries.ts'
import { Visits } from '../resources/tracking/visits.ts'
import { addQueueMetrics } from './queue-metrics.ts'
import { createRelease } from './release.ts'

/** What the services are made of: what a process opens when it starts. */
export interface ServiceParts
  extends Pick<Services, 'db' | 'config' | 'sealer' | 'blobs' | 'resolver' | 'log' | 'metrics'> {
  /** The port that links name: known once it is listened on, when the settings leave it open. */
  port?(): number
  /** The same for SMTP. */
  smtpPort?(): number
}

/** The services with what only the doors of the dashboard and of OAuth need to know of them. */
export interface ProcessServices extends Services {
  readonly sessions: Sessions
  readonly oidc: OidcProviders
  readonly accessTokens: AccessTokens
  /** Fetches from addresses that strangers name. */
  readonly outgoing: OutgoingHttp
  /** Whether a team gets the mail for an address that leaves from here. */
  isReceivedHere(address: string): Promise<boolean>
}

/** Called once for a process. */
export function createServices({ port, smtpPort, ...given }: ServiceParts): ProcessServices {
  const { db, config, sealer, log, metrics } = given
  addQueueMetrics(metrics, db)
  const parts = { ...given, clock: db.clock, publicUrl: () => publicUrl(config, port?.()) }
  const accessTokens = new AccessTokens(parts)
  const outgoing = new OutgoingHttp({ allowPrivateAddresses: allowsPrivateAddresses(config) })
  const teamStates = new TeamStates(db)
  const peers = new Peers(db, 'doors')
  const links = new LinkSigner(sealer.deriveKey('links'))
  const systemTeam = once(() => ensureSystemTeam(db))
  const domains = {
    find: (team: string, id: string) => findSenderById(db, team, id),
    findByName: (name: string) => findVerifiedDomain(db, name),
    loadSigners: (team: string, id: string) => loadSigners(db, sealer, team, id),
  }
  const identityOf = identities({ ...parts, domains, links, systemTeam })
  return {
    ...parts,
    accessTokens,
    links,
    identityOf,
    release: createRelease({ ...parts, links, identityOf }),
    acceptance: new Acceptance(db, teamStates),
    systemTeam,
    isReceivedHere: async (address) =>
      config.DELIVERY !== 'inbox' && (await findReceiver(db, domainOf(address)))?.isReceiving === true,
    disclosures: { end: (tokens) => endDisclosedLinks(db, tokens) },
    eventIntake: new EventIntake(db),
    senders: new Senders(db),
    keysInFlight: new KeysInFlight(),
    domainKeys: new KeyMaker(),
    download: downloader(outgoing),
    outgoing,
    visits: new Visits(db, log),
    authenticator: new Authenticator(keyStore(db), accessTokens),
    sessions: new Sessions(parts),
    lastUsed: new LastUsed(db, log),
    rateLimit: new RateLimit(config.RATE_LIMIT, peers),
    teamStates,
    usageCounts: new UsageCounts(db, teamStates),
    recipientRate: new RecipientRate(teamStates, peers),
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
    retainFor: async (team) => void (await Promise.all(RETENTIONS.map((rule) => rule.sweepTeam(parts, team)))),
    scenarios: new Scenarios(db),
    sandboxes: { enter: (actor, sandbox) => enterSandbox(db, actor, sandbox) },
    smtpAddress: () => ({ host: reachableSmtpHost(config), port: smtpPort?.() ?? config.SMTP_PORT }),
  }
}
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
