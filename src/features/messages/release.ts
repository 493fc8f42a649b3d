import { annotateAudit } from '../../kernel/audit/annotations.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { isAddress, parseMailbox } from '../../mail/address.ts'
import { isSandbox } from '../../platform/ids.ts'
import { loadEmail } from '../emails/delivery/ledger/load.ts'
import type { Release, Released } from '../emails/delivery/transport/release.ts'
import { findReceived } from '../inbound/intake/queries.ts'
import { addressOf, type Head, recipientsOf } from './match.ts'
import { findHeads } from './queries.ts'
import type { ReleaseServices } from './services.ts'

/**
 * Hands one message to the relay, for those that it says or for others: the one way out of an installation that keeps everything. It is
 * in no ledger, so it is tried once, and who asks hears what the relay said.
 */
export async function releaseMessage(
  services: ReleaseServices,
  { team }: Actor,
  id: string,
  to: readonly string[] | undefined,
): Promise<Released[]> {
  const release = requireRelease(services, team)
  const [head] = await findHeads(services.db, [{ team, id }])
  const message = found(head, 'Message')
  const recipients = readRecipients(to, message)
  // Nothing is written, and yet somebody gets mail.
  await services.db.transaction(async (trx) => annotateAudit(trx, { details: { to: recipients } }))
  const released = await send(services, message, { release, to: recipients })
  requireSome(released)
  return released
}

function requireRelease({ release, config }: ReleaseServices, team: string): Release {
  if (isSandbox(team)) throw new Problem('not_in_this_mode', 'Messages of a sandbox cannot be released.')
  if (release) return release
  throw new Problem(
    'not_in_this_mode',
    config.DELIVERY === 'inbox'
      ? 'No relay configured: set POSTWREN_RELAY_URL. With POSTWREN_HOLD=on nothing is sent.'
      : 'Messages can be released in inbox mode only (POSTWREN_DELIVERY=inbox).',
  )
}

function readRecipients(to: readonly string[] | undefined, message: Head): string[] {
  const wrong = to?.find((text) => parseMailbox(text) === null)
  if (wrong !== undefined)
    throw new Problem('validation_error', 'Invalid `to` field. Each must be like `email@example.com`.')
  const own = message.direction === 'sent' ? recipientsOf(message) : message.received_for
  const addresses = to ? to.map((text) => parseMailbox(text)!.address) : own.map(addressOf).filter(isAddress)
  if (addresses.length === 0) throw new Problem('validation_error', 'The message has no recipient: provide `to`.')
  return [...new Set(addresses)]
}

async function send(
  { db, blobs }: ReleaseServices,
  { team, id, direction }: Head,
  { release, to }: { readonly release: Release; readonly to: readonly string[] },
) {
  if (direction === 'sent') return release.sent(found(await loadEmail(db, team, id), 'Message'), to)
  const stored = found(await findReceived(db, team, id), 'Message')
  const raw = stored.raw ?? (stored.rawBlob ? await blobs.get(stored.rawBlob) : null)
  if (!raw) throw new Problem('service_unavailable', 'The message could not be read. Try again.')
  return release.received(raw, stored.envelopeFrom, to)
}

function requireSome(released: readonly Released[]) {
  if (released.some(({ kind }) => kind === 'delivered')) return
  const refused = released.find(({ kind }) => kind === 'refused')
  if (refused) throw new Problem('validation_error', `The relay refused the message: ${refused.reply}`)
  throw new Problem('service_unavailable', `The relay did not accept the message: ${released[0]!.reply}`)
}
