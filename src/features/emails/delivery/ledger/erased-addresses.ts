import type { Sealer } from '../../../../kernel/secrets.ts'
import { comparableAddress, withoutTag } from '../../../../mail/address.ts'
import { ERASED_DOMAIN } from '../../../../mail/address-pattern.ts'

const DIGEST_CHARACTERS = 32

/**
 * Under which names people who were erased are on the suppression list: a keyed digest of the address is all that stays of it. It has the form
 * of an address, so that it is listed, found and removed like any other.
 */
export class ErasedAddresses {
  readonly #sealer: Pick<Sealer, 'digest' | 'digests'>

  constructor(sealer: Pick<Sealer, 'digest' | 'digests'>) {
    this.#sealer = sealer
  }

  /** Under which one that is erased here is written down. */
  nameOf(address: string): string {
    return nameFrom(this.#sealer.digest(textOf(address)))
  }

  /** Under which one may stand there: teams that came from another installation bring names by its key. */
  namesOf(address: string): string[] {
    return this.#sealer.digests(textOf(address)).map(nameFrom)
  }

  /** Whoever was erased without a tag is not written to with one. */
  namesFor(address: string): string[] {
    const untagged = withoutTag(address)
    return untagged === address ? this.namesOf(address) : [...this.namesOf(address), ...this.namesOf(untagged)]
  }
}

const textOf = (address: string) => `address:${comparableAddress(address)}`

const nameFrom = (digest: Buffer) => `${digest.toString('hex').slice(0, DIGEST_CHARACTERS)}@${ERASED_DOMAIN}`
