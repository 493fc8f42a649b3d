import type { Sealer } from '../../../../kernel/secrets.ts'
import { comparableAddress, withoutTag } from '../../../../mail/address.ts'
import { ERASED_DOMAIN } from '../../../../mail/address-pattern.ts'

const DIGEST_CHARACTERS = 32

/**
 * Under which names people who were erased are on the suppression list: a keyed digest of the address is all that stays of it. It has the form
 * of an address, so that it is listed, found and removed like any other.
 */
export class ErasedAddresses {
  readonly #sealer: Pick<Sealer, 'digest'>

  constructor(sealer: Pick<Sealer, 'digest'>) {
    this.#sealer = sealer
  }

  nameOf(address: string): string {
    const digest = this.#sealer.digest(`address:${comparableAddress(address)}`)
    return `${digest.toString('hex').slice(0, DIGEST_CHARACTERS)}@${ERASED_DOMAIN}`
  }

  /** Whoever was erased without a tag is not written to with one. */
  namesFor(address: string): string[] {
    const untagged = withoutTag(address)
    return untagged === address ? [this.nameOf(address)] : [this.nameOf(address), this.nameOf(untagged)]
  }
}
