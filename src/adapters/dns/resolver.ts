import { Resolver as SystemResolver } from 'node:dns/promises'
import { reverseName } from './reverse-name.ts'

export interface MailExchange {
  readonly exchange: string
  /** Lower is better. */
  readonly preference: number
}

interface RecordOf {
  A: string
  AAAA: string
  CNAME: string
  MX: MailExchange
  /** The strings of one record, joined: that is how SPF, DKIM and DMARC read them. */
  TXT: string
  /** Asked for by address: the names that it has. */
  PTR: string
}

export type RecordType = keyof RecordOf

/** What the DNS said. That a name has no such record is an answer; that nobody answered is not. */
export type Answer<Type extends RecordType> =
  | { readonly kind: 'found'; readonly records: readonly RecordOf[Type][] }
  | { readonly kind: 'none'; readonly reason: 'no_such_name' | 'no_such_record' }
  | { readonly kind: 'failed'; readonly reason: string }

export interface Resolver {
  lookup<Type extends RecordType>(name: string, type: Type): Promise<Answer<Type>>
}

export interface ResolverOptions {
  /** `address` or `address:port`. Unset: what the system is set up with. */
  readonly servers?: readonly string[]
  /** How long an answer is waited for at least. */
  readonly timeoutMs?: number
  readonly tries?: number
}

const NONE: Record<string, 'no_such_name' | 'no_such_record'> = {
  ENOTFOUND: 'no_such_name',
  ENODATA: 'no_such_record',
  // The text cannot be a name (a label too long, two dots): nobody can have registered it.
  EBADNAME: 'no_such_name',
}

const FAILURES: Record<string, string> = {
  ETIMEOUT: 'no name server answered in time',
  ESERVFAIL: 'the name server could not answer (SERVFAIL)',
  EREFUSED: 'the name server refused to answer',
  ECONNREFUSED: 'no name server could be reached',
  EBADRESP: 'the response of the name server was malformed',
}

/** Asks name servers directly: never the hosts file, never a search list, which have no say in where mail goes. */
export function createResolver(options: ResolverOptions = {}): Resolver {
  const { timeoutMs = 5_000, tries = 2 } = options
  const system = new SystemResolver({ timeout: timeoutMs, tries })
  if (options.servers) system.setServers(options.servers)

  const ask: { [Type in RecordType]: (name: string) => Promise<RecordOf[Type][]> } = {
    A: (name) => system.resolve4(name),
    AAAA: (name) => system.resolve6(name),
    CNAME: (name) => system.resolveCname(name),
    MX: async (name) =>
      (await system.resolveMx(name)).map(({ exchange, priority }) => ({ exchange, preference: priority })),
    TXT: async (name) => (await system.resolveTxt(name)).map((strings) => cleanText(strings.join(''))),
    // Not `reverse`, which reads the hosts file first.
    PTR: (address) => system.resolvePtr(reverseName(address)),
  }

  return {
    async lookup(name, type) {
      try {
        const records = await patiently(() => ask[type](name), timeoutMs)
        return records.length > 0 ? { kind: 'found', records } : { kind: 'none', reason: 'no_such_record' }
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? ''
        const none = NONE[code]
        if (none) return { kind: 'none', reason: none }
        return { kind: 'failed', reason: FAILURES[code] ?? `the name could not be looked up (${code || error})` }
      }
    },
  }
}

/** A record has any bytes that its owner likes, and what it says is kept, shown and logged: PostgreSQL takes no NUL, and no half of a character. */
const cleanText = (text: string) => text.replace(/\p{Cc}/gu, ' ').toWellFormed()

/**
 * c-ares learns how quick its servers are, and gives up after five times that, or 250 ms, whatever it was told to wait. A name whose
 * own servers are slow, or a moment in which this process stood still, would be taken for silence: it is asked again until the time is over.
 */
async function patiently<Result>(ask: () => Promise<Result>, withinMs: number): Promise<Result> {
  const deadline = performance.now() + withinMs
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ETIMEOUT' || performance.now() >= deadline) throw error
    }
  }
}
