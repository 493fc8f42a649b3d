import { onTestFinished } from 'vitest'
import { openNameServer } from '../../simulate/loopback/name-server.ts'
import { ObservedList } from './changes.ts'

export type { DnsFault } from '../../simulate/loopback/name-server.ts'
export type DnsServer = Awaited<ReturnType<typeof startDnsServer>>

/** A name server that remembers what it was asked. Gone when the test ends. */
export async function startDnsServer() {
  const queries = new ObservedList<string>()
  const { close, ...server } = await openNameServer({ onQuery: (query) => void queries.push(query) })
  onTestFinished(close)
  return {
    ...server,
    /** What was asked, as `MX example.com`, in order. */
    queries: queries as readonly string[],
    /** Resolves once this was asked. */
    asked: (query: string) => queries.until(() => queries.includes(query)),
  }
}
