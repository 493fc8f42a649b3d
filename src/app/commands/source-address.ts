import { tryToBind } from '../../adapters/smtp-client/try-to-bind.ts'
import type { Config } from '../../platform/settings/config.ts'

/** What is wrong with the address that mail is to be sent from, in one line; null: nothing, or no mail leaves here. */
export async function sourceAddressTrouble({ SOURCE_ADDRESS, DELIVERY, ROLES }: Config): Promise<string | null> {
  if (DELIVERY === 'inbox' || !ROLES.includes('delivery')) return null
  for (const address of [SOURCE_ADDRESS.v4, SOURCE_ADDRESS.v6]) {
    const code = address === undefined ? null : await tryToBind(address)
    if (code !== null)
      return `POSTWREN_SOURCE_ADDRESS: ${address} cannot be used (${code}): it must be an address of this machine.`
  }
  return null
}
