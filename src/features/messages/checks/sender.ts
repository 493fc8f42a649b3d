import type { Resolver } from '../../../adapters/dns/resolver.ts'
import type { Found } from '../../../mail/checks/finding.ts'
import { type CheckedSender, sendingDomain } from '../../../mail/checks/sender.ts'
import { findDmarc } from '../../domains/index.ts'
import { loadEmail } from '../../emails/delivery/ledger/load.ts'
import type { WholeMessage } from '../actions.ts'
import type { MessagesChecksServices } from './services.ts'

/** Who sends a message of the team, with what its domain counts. Null: it was received, and its sender is somebody else. */
export async function senderOf(
  { db, identityOf }: Pick<MessagesChecksServices, 'db' | 'identityOf'>,
  team: string,
  { id, direction, from, reply_to, to }: WholeMessage,
): Promise<CheckedSender | null> {
  if (direction === 'received') return null
  const email = await loadEmail(db, team, id)
  const identity = email && (await identityOf(email))
  const tracker = identity?.trackerFor(email!, to[0] ?? '')
  return {
    ...{ from, replyTo: reply_to },
    tracking: { clicks: hostOf(tracker?.linkUrl(ANY_LINK)), opens: hostOf(tracker?.pixelUrl) },
  }
}

const ANY_LINK = 'https://example.com/'
const hostOf = (url: string | null | undefined) => (url ? new URL(url).hostname : null)

/** What the DNS says about the sender's domain. `isKnown`: it has answered, within five questions of five seconds. */
export async function askDmarc(
  resolver: Resolver,
  sender: CheckedSender,
): Promise<{ readonly found: readonly Found[]; readonly isKnown: boolean }> {
  const domain = sendingDomain(sender)
  const record = domain === null ? 'unknown' : await findDmarc(resolver, domain)
  if (record === 'unknown') return NOT_ASKED
  const missing = { check: 'dmarc', severity: 'warning' } as const
  if (record === null)
    return {
      found: [
        { ...missing, title: 'No valid DMARC record', detail: `At _dmarc.${domain}. Gmail and Yahoo ask for one.` },
      ],
      isKnown: true,
    }
  if (record.isAmbiguous)
    return {
      found: [{ ...missing, title: 'Several DMARC records, so none counts', detail: `At _dmarc.${record.at}.` }],
      isKnown: true,
    }
  return { found: [], isKnown: true }
}

export const NOT_ASKED = { found: [], isKnown: false } as const
