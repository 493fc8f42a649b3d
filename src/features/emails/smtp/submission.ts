import { withDatabase } from '../../../kernel/db/team-services.ts'
import { SENDING_ACCESS } from '../../../kernel/http/access.ts'
import { type Actor, requirePermission } from '../../../kernel/http/actor.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { refuseSuspended } from '../../../kernel/http/suspension.ts'
import { RefusedLogins } from '../../../platform/observability/refused-logins.ts'
import { takesAnyLogin } from '../../../platform/settings/config.ts'
import type { Services } from '../../services.ts'
import { findFirstTeam } from '../../teams/index.ts'
import type { SubmittingServices } from '../services.ts'
import { submitMessage } from '../submit.ts'

/** Who has logged in, with what. */
export interface Submitter {
  /** Null: with something that is no key, where that is enough. */
  readonly token: string | null
  /** From where. */
  readonly address: string
  readonly actor: Actor
}

/** As long as a key is. */
const CACHE_TTL_MS = 800

const SENDING = { method: 'POST', access: 'send' } as const

const KEY = /^re_\S+$/

const ANYBODY = {
  identity: { kind: 'anonymous' },
  permissions: SENDING_ACCESS,
  domainId: null,
} satisfies Omit<Actor, 'team'>

const INVALID_LOGIN = new Set(['missing_api_key', 'invalid_api_key'])

/** What tells who logs in, and whether they may send. */
type LoginServices = Pick<
  Services,
  'db' | 'config' | 'log' | 'metrics' | 'authenticator' | 'lastUsed' | 'rateLimit' | 'teamStates'
>

/** Mail of ours that clients submit: who may log in, for which team, and how much. Who is refused gets a Problem, as by HTTP. */
export class Submissions {
  readonly #services: LoginServices
  readonly #sending: SubmittingServices
  readonly #refusedLogins: RefusedLogins
  /** The team that was there first, as of a moment ago: it is asked for with each message. */
  #first: { readonly team: string | undefined; readonly until: number } | null = null

  constructor(services: LoginServices, sending: SubmittingServices) {
    this.#services = services
    this.#sending = sending
    this.#refusedLogins = new RefusedLogins('smtp', services)
  }

  async logIn(password: string, address: string): Promise<Submitter> {
    // What looks like a key is one, in every mode: a test whose sandbox has ended, or a program with the wrong key, learns it here.
    const isForAnybody = takesAnyLogin(this.#services.config) && !KEY.test(password)
    try {
      return await (isForAnybody ? this.#identifyAnybody(address) : this.#identify(password, address))
    } catch (error) {
      if (error instanceof Problem && INVALID_LOGIN.has(error.kind))
        this.#refusedLogins.note({ reason: 'invalid', address, token: password })
      throw error
    }
  }

  /** Asks again whether they may, for the next message of their session. */
  async renew(submitter: Submitter): Promise<Submitter> {
    return submitter.token === null ? submitter : this.#identify(submitter.token, submitter.address)
  }

  /** Whose a sender is. Without a login nobody's, except where everything is the first team's. */
  async teamOf(submitter: Submitter | null): Promise<string | undefined> {
    if (submitter) return submitter.actor.team
    return this.#services.config.DELIVERY === 'inbox' ? this.#firstTeam() : undefined
  }

  /** Returns the id of the email. */
  async submit(
    { actor }: Submitter,
    message: { readonly raw: Buffer; readonly recipients: readonly string[] },
  ): Promise<string> {
    const { db, rateLimit, teamStates } = this.#services
    const services = withDatabase(this.#sending, await db.forTeam(actor.team))
    rateLimit.take(actor.team, () => {})
    requirePermission(actor, 'send')
    await teamStates.load()
    refuseSuspended(teamStates, actor, SENDING)
    const { id } = await submitMessage(services, actor, message)
    return id
  }

  /** A yes is trusted for 0.8 s, so that asking again for each message of a busy session costs nothing. */
  async #identify(token: string, address: string): Promise<Submitter> {
    const { authenticator, lastUsed, teamStates } = this.#services
    const actor = await authenticator.identifyKey(token, address)
    await teamStates.load()
    refuseSuspended(teamStates, actor, SENDING)
    lastUsed.note(actor.team, actor.identity.id)
    return { token, address, actor }
  }

  /** What tools on a laptop send is worth as much as no login at all: the team that was there first. */
  async #identifyAnybody(address: string): Promise<Submitter> {
    const team = await findFirstTeam(this.#services.db)
    if (!team) throw new Problem('invalid_api_key', 'API key is invalid')
    return { token: null, address, actor: { team, ...ANYBODY } }
  }

  async #firstTeam(): Promise<string | undefined> {
    if (!this.#first || this.#first.until < performance.now())
      this.#first = { team: await findFirstTeam(this.#services.db), until: performance.now() + CACHE_TTL_MS }
    return this.#first.team
  }
}
