import type { DnsServer } from './dns-server.ts'
import { publish } from './domains.ts'
import { eventually, type Service } from './service.ts'

/** Makes a domain and does what its owner does: sets the records that the answer asks for, and has them verified. */
export async function verifiedDomain(
  service: Service,
  dns: DnsServer,
  name: string,
  more: { dkim?: string; capabilities?: object } = {},
) {
  const { body: domain } = await service.call('POST', '/domains', { name, dkim: 'ed25519', ...more })
  publish(dns, domain)
  await service.call('POST', `/domains/${domain.id}/verify`)
  await eventually(async () => (await service.call('GET', `/domains/${domain.id}`)).body.status === 'verified')
  return domain
}
