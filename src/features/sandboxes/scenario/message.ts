import { domainOf, parseMailbox, toAsciiDomain } from '../../../mail/address.ts'
import { returnPath } from '../../../mail/return-path.ts'
import type { Tracker } from '../../../mail/tracked-html.ts'
import { Semaphore } from '../../../platform/concurrency/semaphore.ts'
import { findSenderById } from '../../domains/index.ts'
import type { LoadedEmail } from '../../emails/delivery/ledger/load.ts'
import { buildMessage } from '../../emails/delivery/message/build.ts'
import { Contents } from '../../emails/delivery/message/contents.ts'
import { trackerFor } from '../../emails/delivery/message/tracking.ts'
import { unsubscribeUrl } from '../../emails/delivery/message/unsubscribe-link.ts'
import { weightOf } from '../../emails/delivery/message/weight.ts'
import type { ActPayload } from '../simulation/act.ts'
import { headerOf } from '../simulation/other-side/report-mail.ts'
import type { SandboxesScenarioServices } from './services.ts'

/** What the other side reads in a mail. */
export interface Message {
  readonly header: Buffer
  readonly returnPath: string
  /** Where its links lead, in their order, each once. */
  readonly links: readonly string[]
}

/** Bytes of messages that are made at a time. */
const memory = new Semaphore(64 * 1024 * 1024)

/**
 * The message as it was delivered to a recipient, but for its attachments and signatures, which nobody at the other end looks at. Its
 * links are those of tracked mail: what the other side does with them it does whether or not the domain wants to learn of it.
 */
export function readMessage(
  services: SandboxesScenarioServices,
  email: LoadedEmail,
  { recipient, position = 0 }: Pick<ActPayload, 'recipient' | 'position'>,
): Promise<Message> {
  return memory.run(weightOf(email, { isTracked: true }), async () => {
    const links = new Set<string>()
    const header = headerOf(await build(services, email, recipient, links))
    const domain = await returnPathDomain(services, email)
    const path = returnPath({ emailId: email.id, position, domain }, services.sealer.deriveKey('return-path'))
    return { header, returnPath: path, links: [...links] }
  })
}

async function build(
  services: SandboxesScenarioServices,
  email: LoadedEmail,
  recipient: string,
  found: Set<string>,
): Promise<Buffer> {
  const { db, clock, blobs, links } = services
  const ownUrl = services.publicUrl()
  const options = { opens: true, clicks: true, baseUrl: ownUrl }
  const tracker = collecting(trackerFor(email, recipient, { options, links, ownUrl }), found)
  const content = await new Contents(db).load(email)
  return buildMessage(
    email,
    { content: { ...content, attachments: [] }, recipient, signature: { signers: [], trackerFor: () => tracker } },
    {
      clock,
      contentOf: (blob) => blobs.get(blob),
      unsubscribeUrl: (one, to) => unsubscribeUrl({ links, publicUrl: ownUrl }, one, to),
    },
  )
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

async function returnPathDomain(
  { db }: SandboxesScenarioServices,
  { team, domainId, from }: LoadedEmail,
): Promise<string> {
  const domain = domainId === null ? undefined : await findSenderById(db, team, domainId)
  return domain?.returnPathHost ?? toAsciiDomain(domainOf(parseMailbox(from)?.address ?? from))
}
