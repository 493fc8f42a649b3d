import type { Database } from '../../../../kernel/db/database.ts'
import {
  type BoundCeilings,
  builtInRules,
  type CeilingRule,
  type CeilingScope,
  ceilingsFor,
  layersFor,
} from '../../../../mail/providers/ceilings.ts'
import { readRule } from '../../../../mail/providers/read-ceilings.ts'
import { sourceCalled } from '../../../../mail/sources/sources.ts'
import { levelOf } from '../../../../platform/database-errors.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import type { Config } from '../../../../platform/settings/config.ts'
import { CEILINGS_CHANNEL, type CeilingRow, findCeilings } from './ceiling-store.ts'
import { follow } from './follow.ts'
import { sourceIdentity } from './identity.ts'

/** For whoever sends, and for whoever explains what binds: the rules that come with the program, those of the file, and those of the database. */
export const ceilingTableOf = (db: Database, { log, config }: { log: Log; config: Config }): CeilingTable =>
  new CeilingTable(db, {
    log,
    rules: [...builtInRules(config.DESTINATION_CONNECTIONS), ...config.CEILINGS],
    identityOf: identitiesIn(config),
  })

/** As the identity of a source is written, whatever a rule calls it by. */
function identitiesIn({ SOURCES, SOURCE_ADDRESS }: Config): (called: string) => string {
  const sources = SOURCES?.sources ?? [{ name: 'default', addresses: SOURCE_ADDRESS }]
  return (called) => {
    const source = sourceCalled(called, sources)
    return source ? sourceIdentity(source.addresses).source : called
  }
}

const MAX_CACHED = 10_000

/** The ceilings of the program, of the file and of the database, merged for each destination once. */
export class CeilingTable {
  readonly #db: Database
  readonly #log: Log
  readonly #fixed: readonly CeilingRule[]
  readonly #identityOf: (source: string) => string
  #rules: readonly CeilingRule[]
  #withDomains: ReadonlySet<string> = new Set()
  readonly #merged = new Map<string, BoundCeilings>()
  /** Each mail asks more than once, and many go to one destination. */
  #last: { readonly scope: CeilingScope; readonly merged: BoundCeilings } | null = null

  constructor(
    db: Database,
    parts: { log: Log; rules: readonly CeilingRule[]; identityOf?: (source: string) => string },
  ) {
    this.#db = db
    this.#log = parts.log
    this.#identityOf = parts.identityOf ?? ((source) => source)
    this.#fixed = parts.rules.map((rule) => this.#withIdentity(rule))
    this.#rules = this.#fixed
    this.#use(this.#fixed)
  }

  /** Follows what operators change, until the function that it gives is called. */
  follow(): Promise<() => void> {
    return follow(this.#db, CEILINGS_CHANNEL, () => this.#refresh())
  }

  for(scope: CeilingScope): BoundCeilings {
    if (this.#last && isSame(this.#last.scope, scope)) return this.#last.merged
    const merged = this.#mergedFor(scope)
    this.#last = { scope, merged }
    return merged
  }

  #mergedFor(scope: CeilingScope): BoundCeilings {
    const key = `${scope.provider ?? ''} ${scope.source ?? ''} ${scope.domain ?? ''} ${scope.site ?? ''}`
    const known = this.#merged.get(key)
    if (known) return known
    if (this.#merged.size >= MAX_CACHED) this.#merged.clear()
    const merged = ceilingsFor(this.#rules, scope)
    this.#merged.set(key, merged)
    return merged
  }

  /** Whether the domain has ceilings of its own, and so a queue, connections and a rate of its own. */
  hasDomain(domain: string): boolean {
    return this.#withDomains.size > 0 && this.#withDomains.has(domain.toLowerCase())
  }

  #use(rules: readonly CeilingRule[]) {
    this.#rules = rules
    this.#merged.clear()
    this.#last = null
    this.#withDomains = new Set(rules.flatMap(({ scope }) => (scope.domain === undefined ? [] : [scope.domain])))
  }

  /** Each rule that is about it, the least specific one first: `for` takes the last of each key. */
  layersFor(scope: CeilingScope): CeilingRule[] {
    return layersFor(this.#rules, scope)
  }

  /** What operators have changed, once: for who does not follow. */
  async load() {
    const rows = await findCeilings(this.#db)
    this.#use([...this.#fixed, ...rows.flatMap((row) => this.#read(row))])
  }

  async #refresh() {
    try {
      await this.load()
    } catch (error) {
      this.#log[levelOf(error, 'error')]({ error }, 'delivery: reading the ceilings failed')
    }
  }

  #withIdentity(rule: CeilingRule): CeilingRule {
    const { source } = rule.scope
    return source === undefined ? rule : { ...rule, scope: { ...rule.scope, source: this.#identityOf(source) } }
  }

  /** What a newer program has written there may say nothing to this one. */
  #read({ id, ceilings, ...scope }: CeilingRow): CeilingRule[] {
    try {
      return [this.#withIdentity(readRule(scope, ceilings, id))]
    } catch (error) {
      this.#log.warn(
        { ceiling: id, reason: (error as Error).message },
        'delivery: a ceiling is not understood, and left out',
      )
      return []
    }
  }
}

const isSame = (one: CeilingScope, other: CeilingScope) =>
  one.site === other.site &&
  one.provider === other.provider &&
  one.domain === other.domain &&
  one.source === other.source
