import { once } from 'node:events'
import { createServer } from 'node:net'
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

/** By an address that is listened on for a moment: what belongs to the machine is not in the list of its interfaces always. */
async function tryToBind(host: string): Promise<string | null> {
  const server = createServer()
  try {
    const listening = once(server, 'listening')
    server.listen({ host, port: 0 })
    await listening
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  } finally {
    server.close()
  }
}
