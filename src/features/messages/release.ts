import { noteForAudit } from '../../kernel/audit/notes.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { isAddress, parseMailbox } from '../../mail/address.ts'
import { isSandbox } from '../../platform/ids.ts'
import { loadEmail } from '../emails/delivery/load.ts'
import type { Release, Released } from '../emails/delivery/release.ts'
import { findReceived } from '../inbound/intake/queries.ts'
import type { Services } from '../services.ts'
import { addressOf, type Head, recipientsOf } from './match.ts'
import { findHeads } from './queries.ts'

/**
 * Hands one message to the relay, for those that it says or for others: the one way out of an installation that keeps everything. It is
 * in no ledger, so it is tried once, and who asks hears what the relay said.
 */
export async function releaseMessage(
  services: Services,
  { team }: Actor,
  id: string,
  to: readonly string[] | undefined,
): Promise<Released[]> {
  const release = requireRelease(services, team)
  const [head] = await findHeads(services.db, [{ team, id }])
  const message = found(head, 'Message')
  const recipients = readRecipients(to, message)
  // Nothing is written, and yet somebody gets mail.
  await services.db.transaction(async (trx) => noteForAudit(trx, { details: { to: recipients } }))
  const released = await send(services, release, message, recipients)
  requireSome(released)
  return released
}

function requireRelease({ release, config }: Services, team: string): Release {
  if (isSandbox(team)) throw new Problem('not_in_this_mode', 'Nothing of a sandbox ever leaves.')
  if (release) return release
  throw new Problem(
    'not_in_this_mode',
    config.DELIVERY === 'inbox'
      ? 'There is no relay: set POSTWREN_RELAY_URL. With POSTWREN_HOLD=on nothing leaves at all.'
      : 'Messages are released where nothing leaves by itself (POSTWREN_DELIVERY=inbox).',
  )
}

function readRecipients(to: readonly string[] | undefined, message: Head): string[] {
  const wrong = to?.find((text) => parseMailbox(text) === null)
  if (wrong !== undefined)
    throw new Problem('validation_error', 'Invalid `to` field. Each must be like `email@example.com`.')
  const own = message.direction === 'sent' ? recipientsOf(message) : message.received_for
  const addresses = to ? to.map((text) => parseMailbox(text)!.address) : own.map(addressOf).filter(isAddress)
  if (addresses.length === 0)
    throw new Problem('validation_error', 'Nobody is named whom it could be sent to: say `to`.')
  return [...new Set(addresses)]
}

async function send(services: Services, release: Release, { team, id, direction }: Head, to: readonly string[]) {
  const { db, blobs } = services
  if (direction === 'sent') return release.sent(found(await loadEmail(db, team, id), 'Message'), to)
  const stored = found(await findReceived(db, team, id), 'Message')
  const raw = stored.raw ?? (stored.rawBlob ? await blobs.get(stored.rawBlob) : null)
  if (!raw) throw new Problem('service_unavailable', 'The message could not be read. Try again.')
  return release.received(raw, stored.envelopeFrom, to)
}

function requireSome(released: readonly Released[]) {
  if (released.some(({ kind }) => kind === 'delivered')) return
  const refused = released.find(({ kind }) => kind === 'refused')
  if (refused) throw new Problem('validation_error', `The relay refused it: ${refused.reply}`)
  throw new Problem('service_unavailable', `The relay did not take it: ${released[0]!.reply}`)
}
