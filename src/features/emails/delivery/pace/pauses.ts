import type { Database } from '../../../../kernel/db/database.ts'
import { levelOf } from '../../../../platform/database-errors.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import { follow } from './follow.ts'
import { destinationNamesOf, type IdentityKind, identityOf, type MailIdentities, type MailTarget } from './identity.ts'
import { isEndedBy } from './next-pause.ts'
import {
  applyRefusal,
  type DeliveryPause,
  deletePauses,
  findPauses,
  type NewPause,
  PAUSES_CHANNEL,
} from './pause-store.ts'

const WORDS: Readonly<Record<IdentityKind, (identity: string) => string>> = {
  source: (identity) => (identity === 'default' ? 'our IP address' : `our IP address ${identity}`),
  netblock: (identity) => (identity === 'default' ? 'our network' : `our network ${identity}`),
  spf_domain: (identity) => `the SPF domain ${identity}`,
  dkim_domain: (identity) => `the DKIM domain ${identity}`,
  url_domain: (identity) => `links to ${identity}`,
  tenant: (identity) => `the team ${identity}`,
  site: () => 'our mail',
}

/** What is refused, in words: `our IP address`, `the DKIM domain example.com`. */
export const refusedIn = ({ kind, identity }: Pick<DeliveryPause, 'kind' | 'identity'>) => WORDS[kind](identity)

/**
 * Which mail waits, because somebody refuses it for what it carries: on a blocklist every conversation is one more reason to stay there.
 * A pause is about one identity at one destination; all other mail goes on. They are in the database, so that all nodes keep them, also
 * those that start; each has them in memory too, so that no mail asks the database.
 */
export class Pauses {
  readonly #db: Database
  readonly #log: Log
  #byDestination: ReadonlyMap<string, readonly DeliveryPause[]> = new Map()

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
  }

  /** Follows what other nodes find out, until the function that it gives is called. */
  follow(): Promise<() => void> {
    return follow(this.#db, PAUSES_CHANNEL, () => this.#refresh())
  }

  /** Nobody refuses anything: then nobody need ask. */
  get isEmpty(): boolean {
    return this.#byDestination.size === 0
  }

  /** Why mail to a destination waits; null: it need not. Links are not looked at. */
  find(destination: string, mail: MailIdentities): DeliveryPause | null {
    const pauses = this.#byDestination.get(destination)
    if (!pauses) return null
    const now = this.#db.clock.now()
    return pauses.find((pause) => pause.pausedUntil > now && isCarriedBy(pause, mail)) ?? null
  }

  /** The same, whatever the mail carries: whether all of it waits. */
  findForAll(destination: string, source: Pick<MailIdentities, 'source' | 'netblock'>): DeliveryPause | null {
    return this.find(destination, { ...source, spf_domain: '', dkim_domain: null, tenant: '' })
  }

  /** Whether mail on this way has to be looked through for links. */
  areAboutLinks(way: Pick<MailTarget, 'destination' | 'domain'>): boolean {
    return !this.isEmpty && this.#aboutLinks(way).length > 0
  }

  /** Why mail with these links waits. */
  findForLinks(way: Pick<MailTarget, 'destination' | 'domain'>, domains: readonly string[]): DeliveryPause | null {
    return this.#aboutLinks(way).find(({ identity }) => domains.includes(identity)) ?? null
  }

  #aboutLinks(way: Pick<MailTarget, 'destination' | 'domain'>): DeliveryPause[] {
    const now = this.#db.clock.now()
    return destinationNamesOf(way)
      .flatMap((destination) => this.#byDestination.get(destination) ?? [])
      .filter(({ kind, pausedUntil }) => kind === 'url_domain' && pausedUntil > now)
  }

  /** One that has not ended. */
  active({
    destination,
    kind,
    identity,
  }: Pick<DeliveryPause, 'destination' | 'kind' | 'identity'>): DeliveryPause | null {
    const now = this.#db.clock.now()
    const isIt = (one: DeliveryPause) => one.kind === kind && one.identity === identity && one.pausedUntil > now
    return this.#byDestination.get(destination)?.find(isIt) ?? null
  }

  /** Those of a destination that have not ended. */
  activeAt(destination: string): readonly DeliveryPause[] {
    const now = this.#db.clock.now()
    return this.#byDestination.get(destination)?.filter(({ pausedUntil }) => pausedUntil > now) ?? []
  }

  /** Those that have not ended, the last to end first. */
  list(): DeliveryPause[] {
    const now = this.#db.clock.now()
    return [...this.#byDestination.values()]
      .flat()
      .filter(({ pausedUntil }) => pausedUntil > now)
      .sort((a, b) => b.pausedUntil.getTime() - a.pausedUntil.getTime())
  }

  /** Conversations that were under way when the first was refused hear the same: that is one refusal. */
  async refused(refusal: NewPause): Promise<DeliveryPause | null> {
    const known = this.active(refusal)
    if (known) return known
    const pause = await applyRefusal(this.#db, refusal)
    if (pause) {
      this.#set(pause)
      this.#db.signals.announce(PAUSES_CHANNEL)
      const { destination, kind, identity, host, reply, refusals, pausedUntil: until } = pause
      this.#log.warn(
        { destination, kind, identity, host, reply, refusals, until },
        kind === 'source'
          ? 'delivery: our IP address is refused; mail to this destination is paused'
          : 'delivery: mail is refused for what it carries; such mail to this destination is paused',
      )
    } else await this.#refresh()
    return this.active(refusal)
  }

  /** Mail was taken in a conversation that began then. */
  taken(way: MailTarget, startedAt: Date) {
    for (const destination of destinationNamesOf(way)) {
      const over = this.#byDestination
        .get(destination)
        ?.filter((pause) => isEndedBy(pause, startedAt) && isCarriedBy(pause, way.identities))
      if (over && over.length > 0) this.#end(destination, over)
    }
  }

  #end(destination: string, over: readonly DeliveryPause[]) {
    const left = this.#byDestination.get(destination)!.filter((pause) => !over.includes(pause))
    const others = [...this.#byDestination].filter(([name]) => name !== destination)
    this.#byDestination = new Map(left.length > 0 ? [...others, [destination, left]] : others)
    const [{ kind, identity }] = over as [DeliveryPause]
    this.#log.info({ destination, kind, identity }, 'delivery: pause ended; mail is accepted again')
    void deletePauses(this.#db, over).catch((error) =>
      this.#log[levelOf(error, 'error')]({ error, destination }, 'delivery: ending a pause failed'),
    )
  }

  #set(pause: DeliveryPause) {
    const isOther = (one: DeliveryPause) => one.kind !== pause.kind || one.identity !== pause.identity
    const known = this.#byDestination.get(pause.destination)?.filter(isOther) ?? []
    this.#byDestination = new Map([...this.#byDestination, [pause.destination, [...known, pause]]])
  }

  async #refresh() {
    try {
      const byDestination = new Map<string, DeliveryPause[]>()
      for (const pause of await findPauses(this.#db, this.#db.clock.now()))
        byDestination.set(pause.destination, [...(byDestination.get(pause.destination) ?? []), pause])
      this.#byDestination = byDestination
    } catch (error) {
      this.#log[levelOf(error, 'error')]({ error }, 'delivery: reading the paused destinations failed')
    }
  }
}

const isCarriedBy = ({ kind, identity }: DeliveryPause, mail: MailIdentities) =>
  kind !== 'url_domain' && identityOf(mail, kind) === identity
