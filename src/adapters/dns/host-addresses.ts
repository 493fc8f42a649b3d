import type { Resolver } from './resolver.ts'

/**
 * The addresses of a host, as name servers give them. The system's look-up takes one of four threads for as long as the other's name servers keep
 * it waiting, and files, webhooks and downloads wait for the same threads.
 */
export const hostAddresses =
  (resolver: Resolver) =>
  async (name: string): Promise<readonly string[]> => {
    const answers = await Promise.all([resolver.lookup(name, 'A'), resolver.lookup(name, 'AAAA')])
    const addresses = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records : []))
    const failed = answers.find(({ kind }) => kind === 'failed')
    if (addresses.length === 0 && failed?.kind === 'failed') throw new Error(`${name}: ${failed.reason}`)
    return addresses
  }
