import type { DnsServer } from './dns-server.ts'

/** Settings of a service whose mail goes through a server of the test, and who asks a name server of the test. */
export const relaying = (relay: { readonly port: number }, dns: DnsServer) => ({
  POSTWREN_DELIVERY: 'relay',
  POSTWREN_RELAY_URL: `smtp://127.0.0.1:${relay.port}`,
  POSTWREN_DNS_SERVERS: dns.address,
})
