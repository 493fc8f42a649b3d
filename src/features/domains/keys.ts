import { createPrivateKey, generateKeyPair, generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto'
import { promisify } from 'node:util'
import type { Queryable } from '../../kernel/db/database.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import { type DkimSigner, dkimRecord } from '../../mail/dkim.ts'
import { FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { findKeys } from './queries.ts'
import type { DkimChoice } from './schema.ts'

type Algorithm = Exclude<DkimChoice, 'both'>

/**
 * Names of our own, not those of the service whose clients we speak to: a domain that moves here has its old record in the DNS
 * until the move is over, and one name cannot hold two keys. Clients only print them.
 */
const SELECTORS: Record<Algorithm, string> = { rsa: 'postwren', ed25519: 'postwren-ed25519' }

export interface NewKey {
  readonly selector: string
  readonly public_record: string
  /** PKCS#8, as text. */
  readonly privateKey: string
}

const makePair = promisify(generateKeyPair)

/**
 * One RSA key at a time: it keeps a thread busy for some 100 ms, and four threads do all signing and all look-ups. Teams take turns, and
 * a team with this many in line is refused with `Busy`.
 */
const MAX_WAITING_PER_TEAM = 20
const MAX_WAIT_MS = 20_000

export interface KeyMaking {
  /** Whose keys they are. */
  readonly team: string
  /** Aborted: nobody wants them any more. */
  readonly signal?: AbortSignal | undefined
}

/** Makes the keys of domains, in turns. */
export class KeyMaker {
  readonly #turns = new FairQueue({
    slots: 1,
    perTenant: 1,
    waitingPerTenant: MAX_WAITING_PER_TEAM,
    waitMs: MAX_WAIT_MS,
  })

  readonly #makeRsaKey: () => Promise<NewKey>

  constructor(makeKey = makeRsaKey) {
    this.#makeRsaKey = makeKey
  }

  get waiting(): number {
    return this.#turns.waiting
  }

  async make(choice: DkimChoice, { team, signal }: KeyMaking): Promise<NewKey[]> {
    if (choice === 'ed25519') return [makeQuickKey()]
    const rsa = await this.#turns.run(team, this.#makeRsaKey, signal)
    return choice === 'both' ? [rsa, makeQuickKey()] : [rsa]
  }
}

const makeRsaKey = async (): Promise<NewKey> => newKey('rsa', await makePair('rsa', { modulusLength: 2048 }))

/** At once: it takes 0.1 ms, and nobody waits behind the RSA keys of others. */
export const makeQuickKey = (): NewKey => newKey('ed25519', generateKeyPairSync('ed25519'))

const newKey = (algorithm: Algorithm, { publicKey, privateKey }: KeyPairKeyObjectResult): NewKey => ({
  selector: SELECTORS[algorithm],
  public_record: dkimRecord(publicKey),
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
})

/** Those that a domain signs with, by the names of their records. */
export const choiceOf = (selectors: readonly string[]): DkimChoice => {
  const [isRsa, isEd25519] = [selectors.some((name) => !isQuick(name)), selectors.some(isQuick)]
  return isRsa && isEd25519 ? 'both' : isEd25519 ? 'ed25519' : 'rsa'
}

const isQuick = (selector: string) => selector.startsWith(SELECTORS.ed25519)

/** Names that the domain has not had: `postwren-20260131`. A record that is in the DNS already must never stand for another key. */
export function renamed(keys: readonly NewKey[], taken: readonly string[], today: Date): NewKey[] {
  const day = today.toISOString().slice(0, 10).replaceAll('-', '')
  let suffix = `-${day}`
  const isTaken = () => keys.some(({ selector }) => taken.includes(`${selector}${suffix}`))
  for (let count = 2; isTaken(); count++) suffix = `-${day}-${count}`
  return keys.map((key) => ({ ...key, selector: `${key.selector}${suffix}` }))
}

export const contextOf = (domainId: string, selector: string) => `dkim:${domainId}:${selector}`

export const sealKey = (sealer: Sealer, domainId: string, { selector, privateKey }: NewKey): Buffer =>
  sealer.seal(privateKey, contextOf(domainId, selector))

/** The signers of a domain, ready to use; none when there is no such domain. Opening costs a look-up: keep them for a while. */
export async function loadSigners(
  db: Queryable,
  sealer: Sealer,
  team: string,
  domainId: string,
): Promise<DkimSigner[]> {
  const keys = await findKeys(db, team, domainId)
  return keys.map(({ domain, selector, private_key }) => ({
    domain,
    selector,
    key: createPrivateKey(sealer.open(private_key, contextOf(domainId, selector))),
  }))
}
