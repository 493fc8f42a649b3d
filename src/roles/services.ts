import { EventIntake } from '../automations/intake.ts'
import { Sessions } from '../dashboard/sessions.ts'
import { Acceptance } from '../delivery/accept.ts'
import { Authenticator } from '../http/auth.ts'
import { RateLimit } from '../http/rate-limit.ts'
import { AccessTokens } from '../oauth/tokens.ts'
import { allowsPrivateAddresses, publicUrl } from '../platform/config.ts'
import { LinkSigner } from '../platform/links.ts'
import { OutgoingHttp } from '../platform/outgoing-http/outgoing-http.ts'
import { LastUsed } from '../resources/api-keys/last-used.ts'
import { keyStore } from '../resources/api-keys/queries.ts'
import { Senders } from '../resources/domains/actions.ts'
import { downloader } from '../resources/emails/download.ts'
import { KeysInFlight } from '../resources/idempotency.ts'
import type { Services } from '../resources/services.ts'
import { Visits } from '../resources/tracking/visits.ts'

/** What the services are made of: what a process opens when it starts. */
export interface ServiceParts
  extends Pick<Services, 'db' | 'config' | 'sealer' | 'blobs' | 'resolver' | 'log' | 'metrics'> {
  /** The port that links name: known once it is listened on, when the settings leave it open. */
  port?(): number
}

/** The services with what only the doors of the dashboard and of OAuth need to know of them. */
export interface ProcessServices extends Services {
  readonly sessions: Sessions
  readonly accessTokens: AccessTokens
  /** Fetches from addresses that strangers name. */
  readonly outgoing: OutgoingHttp
}

/** Called once for a process. */
export function createServices({ port, ...given }: ServiceParts): ProcessServices {
  const { db, config, sealer, log } = given
  const parts = { ...given, clock: db.clock, publicUrl: () => publicUrl(config, port?.()) }
  const accessTokens = new AccessTokens(parts)
  const outgoing = new OutgoingHttp({ allowPrivateAddresses: allowsPrivateAddresses(config) })
  return {
    ...parts,
    accessTokens,
    links: new LinkSigner(sealer.deriveKey('links')),
    acceptance: new Acceptance(db),
    eventIntake: new EventIntake(db),
    senders: new Senders(db),
    keysInFlight: new KeysInFlight(),
    download: downloader(outgoing),
    outgoing,
    visits: new Visits(db, log),
    authenticator: new Authenticator(keyStore(db), accessTokens),
    sessions: new Sessions(parts),
    lastUsed: new LastUsed(db, log),
    rateLimit: new RateLimit(config.RATE_LIMIT),
  }
}
