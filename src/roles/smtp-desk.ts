import { Authenticator, type Caller } from '../http/auth.ts'
import type { Context } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { RateLimit } from '../http/rate-limit.ts'
import type { Mailbox } from '../inbound/arrival.ts'
import { Intake } from '../inbound/intake.ts'
import { ReceivingLimits } from '../inbound/receiving-limits.ts'
import { domainOf } from '../mail/address.ts'
import { readReturnPath } from '../mail/return-path.ts'
import type { BlobStore } from '../platform/blobs/blob-store.ts'
import type { Clock } from '../platform/clock.ts'
import { type Config, publicUrl, takesAnyLogin } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import { isUnavailable } from '../platform/db/errors.ts'
import { TeamDatabase } from '../platform/db/team-database.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { RefusedLogins } from '../platform/refused-logins.ts'
import type { Sealer } from '../platform/secrets.ts'
import { isRefusal, type SmtpDesk, type SmtpRefusal } from '../platform/smtp-listener/desk.ts'
import { LastUsed } from '../resources/api-keys/last-used.ts'
import { keyStore } from '../resources/api-keys/queries.ts'
import { findReceiver } from '../resources/domains/actions.ts'
import { RefusedMessage, submitMessage } from '../resources/emails/submit.ts'
import { findFirstTeam } from '../resources/teams/queries.ts'
import { createMailRoom } from './mail-room.ts'

export interface DeskParts {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
  readonly sealer: Sealer
  readonly blobs: BlobStore
  readonly log: Log
  readonly metrics: Metrics
}

/** Who has logged in, with what. */
export interface Submitter {
  /** Null: with something that is no key, where that is enough. */
  readonly token: string | null
  /** From where. */
  readonly address: string
  readonly caller: Caller
}

/** What stands behind the SMTP listener: who may log in, whom mail may be for, and where it goes. */
export function createDesk(parts: DeskParts): SmtpDesk<Submitter> {
  const { db, config, sealer, log, metrics } = parts
  const refusedLogins = new RefusedLogins('smtp', parts)
  const authenticator = new Authenticator(keyStore(db))
  const lastUsed = new LastUsed(db, log)
  const rateLimit = new RateLimit(config.RATE_LIMIT)
  const intake = new Intake(parts)
  const limits = new ReceivingLimits(receivingLimits(config))
  const returnPathSecret = sealer.deriveKey('return-path')
  const mail = createMailRoom({ ...parts, publicUrl: () => publicUrl(config) })
  const contextOf = (caller: Caller): Context => ({
    ...parts,
    db: new TeamDatabase(db, caller.team),
    mail,
    team: caller.team,
    caller,
    keyUse: { flush: () => lastUsed.flush(), forget: () => authenticator.forget() },
  })

  /** Null: we have no business with mail for this address. */
  const mailboxOf = async (recipient: string): Promise<Mailbox | null> => {
    const report = readReturnPath(recipient.slice(0, recipient.lastIndexOf('@')), returnPathSecret)
    if (report) return { kind: 'report', ...report }
    const receiver = await findReceiver(db, domainOf(recipient))
    if (receiver?.isReceiving) return { kind: 'team', team: receiver.team }
    if (config.DELIVERY !== 'inbox') return null
    const team = receiver?.team ?? (await findFirstTeam(db))
    return team ? { kind: 'team', team } : null
  }

  /** What tools on a laptop send is worth as much as no login at all: the team that was there first. */
  const identifyAnybody = async (address: string): Promise<Submitter | null> => {
    const team = takesAnyLogin(config) ? await findFirstTeam(db) : undefined
    return team ? { token: null, address, caller: { ...NO_KEY, team } } : null
  }

  /** A yes is trusted for 0.8 s, so that asking again for each message of a busy session costs nothing. */
  const identify = (token: string, address: string) =>
    refusing(async () => {
      const caller = await authenticator.identify(`Bearer ${token}`, address)
      lastUsed.note(caller.keyId)
      return { token, address, caller }
    })

  return {
    async authenticate({ password }, { address }) {
      // What does not look like a key is not looked up: wrong ones are counted, and many are held up.
      const answer = takesAnyLogin(config) && !KEY.test(password) ? NOT_A_KEY : await identify(password, address)
      if (!isRefusal(answer) || isTrouble(answer)) return answer
      const anybody = await refusing(() => identifyAnybody(address))
      if (anybody) return anybody
      if (answer.code >= 500) refusedLogins.note({ reason: 'invalid', address, token: password })
      return answer
    },
    renew: async (user) => (user.token === null ? user : identify(user.token, user.address)),
    async checkRecipient(recipient, { user, peer }) {
      if (user) return null
      const mailbox = await mailboxOf(recipient)
      if (!mailbox) {
        metrics.countMessage('refused_recipient')
        return { code: 550, enhanced: '5.7.1', message: `We do not take mail for ${domainOf(recipient)}` }
      }
      const objection = limits.objection(peer.address, mailbox)
      return objection === null ? null : { code: 451, enhanced: '4.7.1', message: objection }
    },
    async take({ raw, from, recipients, peer, user }) {
      const answer = await answering(async () => {
        if (user) {
          rateLimit.take(user.caller.team, () => {})
          return (await submitMessage(contextOf(user.caller), { raw, recipients })).id
        }
        const mailboxes = await Promise.all(
          recipients.map(async (address) => ({ address, mailbox: await mailboxOf(address) })),
        )
        const known = mailboxes.flatMap(({ address, mailbox }) => (mailbox ? [{ address, mailbox }] : []))
        // A domain went away since its recipient was named: the sender comes again and hears it for each of them.
        if (known.length < recipients.length) throw new Problem('service_unavailable', 'Some recipients have changed')
        // Looked at again: since the recipients were named, other sessions may have brought all that there was room for.
        for (const { mailbox } of known) {
          const objection = limits.objection(peer.address, mailbox)
          if (objection !== null) throw new Problem('rate_limit_exceeded', objection)
        }
        limits.count(
          peer.address,
          known.map(({ mailbox }) => mailbox),
          raw.length,
        )
        const ids = await intake.take({ raw, from, helo: peer.helo, clientAddress: peer.address }, known)
        return ids[0] ?? 'thank you'
      })
      metrics.countMessage(answer.kind === 'refused' ? 'refused' : user ? 'submitted' : 'received')
      return answer
    },
  }
}

const KEY = /^re_\S+$/

/** Nothing is scheduled by SMTP, so that nobody asks for the key later. */
const NO_KEY = { keyId: '00000000-0000-0000-0000-000000000000', permission: 'sending_access', domainId: null } as const

/** Of ours. What is left of refusals is about the key, or about too many that were wrong. */
const isTrouble = ({ enhanced }: SmtpRefusal) => enhanced.startsWith('4.3')

const NOT_A_KEY: SmtpRefusal = { code: 535, enhanced: '5.7.8', message: 'Authentication credentials invalid' }

/** Where nothing leaves, nobody but the operator brings mail in. */
const receivingLimits = ({ DELIVERY, RECEIVE_PER_ADDRESS, RECEIVE_PER_TEAM }: Config) =>
  DELIVERY === 'inbox' ? { perAddress: 0, perTeam: 0 } : { perAddress: RECEIVE_PER_ADDRESS, perTeam: RECEIVE_PER_TEAM }

async function answering(work: () => Promise<string>) {
  const result = await refusing(async () => ({ kind: 'accepted' as const, message: await work() }))
  return 'kind' in result ? result : { kind: 'refused' as const, ...result }
}

/** What an API call would be told, as a server says it: try again where that helps, and never where it does not. */
async function refusing<Value>(work: () => Promise<Value>): Promise<Value | SmtpRefusal> {
  try {
    return await work()
  } catch (error) {
    if (isUnavailable(error))
      return { code: 451, enhanced: '4.3.0', message: 'The service is not available at the moment' }
    if (!(error instanceof Problem)) throw error
    // RFC 3463, 5.4.6: a routing loop.
    if (error instanceof RefusedMessage && error.isLoop) return { code: 554, enhanced: '5.4.6', message: error.message }
    return refusalOf(error)
  }
}

const AUTH_PROBLEMS = new Set(['missing_api_key', 'invalid_api_key'])

function refusalOf({ kind, status, message }: Problem): SmtpRefusal {
  if (AUTH_PROBLEMS.has(kind)) return NOT_A_KEY
  if (status >= 500 || status === 429 || kind === 'concurrent_idempotent_requests')
    return { code: 451, enhanced: status === 429 ? '4.7.1' : '4.3.0', message }
  return { code: 550, enhanced: status === 403 ? '5.7.1' : '5.6.0', message }
}
