import { SmtpSender } from '../../adapters/smtp-client/sender.ts'
import { Contents } from '../../features/emails/delivery/message/contents.ts'
import { unsubscribeUrl } from '../../features/emails/delivery/message/unsubscribe-link.ts'
import { relayResolver } from '../../features/emails/delivery/transport/destination-resolvers.ts'
import { type Release, releaseThrough } from '../../features/emails/delivery/transport/release.ts'
import { smtpOptionsOf } from '../../features/emails/worker.ts'
import type { Services } from '../../features/services.ts'

type ReleaseParts = Pick<
  Services,
  'db' | 'clock' | 'config' | 'log' | 'sealer' | 'blobs' | 'links' | 'publicUrl' | 'identityOf'
>

/** Somebody waits for it at a browser. */
const TIMEOUTS = {
  connectMs: 10_000,
  greetingMs: 10_000,
  commandMs: 20_000,
  envelopeMs: 20_000,
  dataBlockMs: 20_000,
  finalDotMs: 40_000,
  transactionMs: 40_000,
}

/** Null: everything leaves anyway, or nothing may, or nobody has said through which server. */
export function createRelease(parts: ReleaseParts): Release | null {
  const { db, clock, config, log, sealer, blobs, links, publicUrl, identityOf } = parts
  if (config.DELIVERY !== 'inbox' || config.HOLD === 'on' || config.RELAY_URL === undefined) return null
  const contents = new Contents(db)
  return releaseThrough({
    clock,
    log,
    sender: new SmtpSender({ ...smtpOptionsOf(config), clock, timeouts: TIMEOUTS, maxPauseMs: 1 }),
    router: relayResolver(config, clock),
    returnPathSecret: sealer.deriveKey('return-path'),
    cell: config.CELL,
    loadContent: (email) => contents.load(email),
    contentOf: (blob) => blobs.get(blob),
    unsubscribeUrl: (email, recipient) => unsubscribeUrl({ links, publicUrl: publicUrl() }, email, recipient),
    identityOf,
  })
}
