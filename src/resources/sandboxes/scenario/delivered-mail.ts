import { buildMessage } from '../../../delivery/build.ts'
import { Contents } from '../../../delivery/contents.ts'
import { type LoadedEmail, loadEmail } from '../../../delivery/load.ts'
import { trackerFor } from '../../../delivery/tracking.ts'
import { unsubscribeUrl } from '../../../delivery/unsubscribe-link.ts'
import { domainOf, parseMailbox, toAsciiDomain } from '../../../mail/address.ts'
import { returnPath } from '../../../mail/return-path.ts'
import type { Tracker } from '../../../mail/tracked-html.ts'
import { findSenderById } from '../../domains/actions.ts'
import type { Services } from '../../services.ts'

/** A mail as the recipient has got it. */
export interface DeliveredMail {
  readonly email: LoadedEmail
  /** The message, without its attachments and signatures: nobody at the other end looks at them. */
  readonly message: Buffer
  readonly returnPath: string
  /** Where its links lead, in their order, each once. */
  readonly links: readonly string[]
}

/**
 * The mail as it was delivered to a recipient, with links as tracked mail has them: what the other side does with them it does whether
 * or not the domain wants to learn of it. Null: it was deleted since.
 */
export async function findDelivered(
  services: Services,
  { team, email: emailId, recipient }: { team: string; email: string; recipient: string },
): Promise<DeliveredMail | null> {
  const { db, clock, blobs, sealer, links: signer } = services
  const email = await loadEmail(db, team, emailId)
  if (!email) return null
  const content = await new Contents(db).load(email)
  const ownUrl = services.publicUrl()
  const tracker = trackerFor(email, recipient, {
    wishes: { opens: true, clicks: true, baseUrl: ownUrl },
    links: signer,
    ownUrl,
  })
  const links = new Set<string>()
  const message = await buildMessage(
    email,
    { ...content, attachments: [] },
    recipient,
    { signers: [], trackerFor: () => collecting(tracker, links) },
    {
      clock,
      contentOf: (blob) => blobs.get(blob),
      unsubscribeUrl: (one, to) => unsubscribeUrl({ links: signer, publicUrl: ownUrl }, one, to),
    },
  )
  const domain = await returnPathDomain(services, email)
  const path = returnPath({ emailId, domain }, sealer.deriveKey('return-path'))
  return { email, message, returnPath: path, links: [...links] }
}

/** Notes where links lead that a click could be told of. */
function collecting(tracker: Tracker, found: Set<string>): Tracker {
  return {
    ...tracker,
    linkUrl(target) {
      const url = tracker.linkUrl(target)
      if (url !== null) found.add(target)
      return url
    },
  }
}

async function returnPathDomain({ db }: Services, { team, domainId, from }: LoadedEmail): Promise<string> {
  const domain = domainId === null ? undefined : await findSenderById(db, team, domainId)
  return domain?.returnPathHost ?? toAsciiDomain(domainOf(parseMailbox(from)?.address ?? from))
}
