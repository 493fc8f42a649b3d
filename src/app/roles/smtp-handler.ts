import { isRefusal, type SmtpAnswer, type SmtpHandler, type SmtpRefusal } from '../../adapters/smtp-server/handler.ts'
import { PERMISSIONS } from '../../features/api-keys/permissions.ts'
import { findReceiver } from '../../features/domains/actions.ts'
import { RefusedMessage, submitMessage } from '../../features/emails/submit.ts'
import { createReceiving, type Refusal } from '../../features/inbound/intake/receiving.ts'
import { findForwardingTeam } from '../../features/inboxes/actions.ts'
import { smtpFaults } from '../../features/sandboxes/simulation/smtp-faults.ts'
import type { Services } from '../../features/services.ts'
import { findFirstTeam } from '../../features/teams/queries.ts'
import { refreshClocks } from '../../kernel/db/sandbox-clocks.ts'
import { servicesOf } from '../../kernel/db/team-services.ts'
import { type Actor, requirePermission } from '../../kernel/http/actor.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { refuseSuspended } from '../../kernel/http/suspension.ts'
import { isUnavailable } from '../../platform/database-errors.ts'
import { RefusedLogins } from '../../platform/observability/refused-logins.ts'
import { takesAnyLogin } from '../../platform/settings/config.ts'

/** Who has logged in, with what. */
export interface Submitter {
  /** Null: with something that is no key, where that is enough. */
  readonly token: string | null
  /** From where. */
  readonly address: string
  readonly actor: Actor
}

/** What stands behind the SMTP listener: who may log in, and where a message goes. */
export function createSmtpHandler(services: Services): SmtpHandler<Submitter> {
  const { db, config, metrics, authenticator, lastUsed, rateLimit, teamStates } = services
  const refusedLogins = new RefusedLogins('smtp', services)
  const isInbox = config.DELIVERY === 'inbox'
  const faults = smtpFaults(db, services.scenarios, { isInbox })
  const receiving = createReceiving(services, {
    find: (domainName) => findReceiver(db, domainName),
    findForwarding: (address) => findForwardingTeam(db, address),
    findFallback: () => findFirstTeam(db),
    objection: (team) => faults.refusalOf(team, 'rcpt'),
  })

  /** The team that was there first, as of a moment ago: it is asked for with each message. */
  let first: { readonly team: string | undefined; readonly until: number } | null = null
  const firstTeam = async () => {
    if (!first || first.until < performance.now())
      first = { team: await findFirstTeam(db), until: performance.now() + CACHE_TTL_MS }
    return first.team
  }

  /** What tools on a laptop send is worth as much as no login at all: the team that was there first. */
  const identifyAnybody = async (address: string): Promise<Submitter | null> => {
    const team = await findFirstTeam(db)
    return team ? { token: null, address, actor: { team, ...ANYBODY } } : null
  }

  /** A yes is trusted for 0.8 s, so that asking again for each message of a busy session costs nothing. */
  const identify = (token: string, address: string) =>
    refusing(async () => {
      const actor = await authenticator.identifyKey(token, address)
      await refuseSuspended(teamStates, actor, SENDING)
      lastUsed.note(actor.team, actor.identity.id)
      return { token, address, actor }
    })

  const logIn = async (password: string, address: string): Promise<Submitter | SmtpRefusal> => {
    // What looks like a key is one, in every mode: a test whose sandbox has ended, or a program with the wrong key, learns it here.
    const isForAnybody = takesAnyLogin(config) && !KEY.test(password)
    const answer = isForAnybody
      ? ((await refusing(() => identifyAnybody(address))) ?? NOT_A_KEY)
      : await identify(password, address)
    if (answer === NOT_A_KEY) refusedLogins.note({ reason: 'invalid', address, token: password })
    return answer
  }

  return {
    async authenticate({ password }, { address }) {
      const answer = await logIn(password, address)
      if (isRefusal(answer)) return answer
      return (await faults.refusalOf(answer.actor.team, 'auth')) ?? answer
    },
    async checkSender(_from, { user }) {
      // Without a login it is nobody's, except where everything is the first team's.
      const team = user?.actor.team ?? (isInbox ? await firstTeam() : undefined)
      return team ? faults.refusalOf(team, 'mail') : null
    },
    renew: async (user) => (user.token === null ? user : identify(user.token, user.address)),
    async checkRecipient(recipient, { user, peer }) {
      if (user) return faults.refusalOf(user.actor.team, 'rcpt')
      const refusal = await receiving.checkRecipient(recipient, peer.address)
      return refusal && (isRefusal(refusal) ? refusal : replyTo(refusal))
    },
    async take(mail) {
      const { user, raw, from, recipients, peer } = mail
      const answer = await answering(async () => {
        if (!user) {
          const arrival = { raw, from, helo: peer.helo, clientAddress: peer.address }
          const received = await receiving.take(arrival, recipients)
          return received.kind === 'taken' ? (received.id ?? 'thank you') : replyTo(received)
        }
        const { actor } = user
        await refreshClocks(db, [actor.team])
        rateLimit.take(actor.team, () => {})
        requirePermission(actor, 'send')
        await refuseSuspended(teamStates, actor, SENDING)
        const { id } = await submitMessage(servicesOf(services, actor.team, 'requests'), actor, { raw, recipients })
        return id
      })
      metrics.countMessage(answer.kind === 'refused' ? 'refused' : user ? 'submitted' : 'received')
      return answer
    },
  }
}

/** As long as a key is. */
const CACHE_TTL_MS = 800

const SENDING = { method: 'POST', access: 'send' } as const

const KEY = /^re_\S+$/

const ANYBODY = {
  identity: { kind: 'anonymous' },
  permissions: PERMISSIONS.sending_access,
  domainId: null,
} satisfies Omit<Actor, 'team'>

const REPLIES: Record<Refusal['kind'], Omit<SmtpRefusal, 'message'>> = {
  no_mailbox: { code: 550, enhanced: '5.7.1' },
  mailbox_gone: { code: 451, enhanced: '4.3.0' },
  too_much: { code: 451, enhanced: '4.7.1' },
}

const replyTo = ({ kind, message }: Refusal): SmtpRefusal => ({ ...REPLIES[kind], message })

const NOT_A_KEY: SmtpRefusal = { code: 535, enhanced: '5.7.8', message: 'Authentication credentials invalid' }

async function answering(work: () => Promise<string | SmtpRefusal>): Promise<SmtpAnswer> {
  const result = await refusing(work)
  return typeof result === 'string' ? { kind: 'accepted', message: result } : { kind: 'refused', ...result }
}

/** The error of an API call as an SMTP reply: try again where that helps, and never where it does not. */
async function refusing<Value>(work: () => Promise<Value>): Promise<Value | SmtpRefusal> {
  try {
    return await work()
  } catch (error) {
    if (isUnavailable(error)) return { code: 451, enhanced: '4.3.0', message: 'Service temporarily unavailable' }
    if (!(error instanceof Problem)) throw error
    // RFC 3463, 5.4.6: a routing loop.
    if (error instanceof RefusedMessage && error.isLoop) return { code: 554, enhanced: '5.4.6', message: error.message }
    return refusalOf(error)
  }
}

const AUTH_PROBLEMS = new Set(['missing_api_key', 'invalid_api_key'])

function refusalOf({ kind, status, message }: Problem): SmtpRefusal {
  if (AUTH_PROBLEMS.has(kind)) return NOT_A_KEY
  if (kind === 'suspended_api_key' || kind === 'inactive_api_key') return { ...NOT_A_KEY, message }
  if (status >= 500 || status === 429 || kind === 'concurrent_idempotent_requests')
    return { code: 451, enhanced: status === 429 ? '4.7.1' : '4.3.0', message }
  return { code: 550, enhanced: status === 403 ? '5.7.1' : '5.6.0', message }
}
