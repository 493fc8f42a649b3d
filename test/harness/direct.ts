import { mailExchanger } from '../../src/adapters/dns/mail-exchanger.ts'
import { createResolver } from '../../src/adapters/dns/resolver.ts'
import { directResolver } from '../../src/features/emails/delivery/transport/destination-resolvers.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { type Seams, startApp } from './app.ts'
import { startDnsServer } from './dns-server.ts'
import { addVerifiedDomain, emptyLedger } from './emails.ts'
import type { MailServerOptions } from './mail-conversation.ts'
import { startMailServer } from './mail-server.ts'

/** Straight to the recipients' servers: a real name server and real mail servers, on loopback and on another port than 25. */
export async function startDirect(
  options: MailServerOptions = {},
  settings: Record<string, string> = {},
  seams: Seams = {},
) {
  const dns = await startDnsServer()
  const server = await startMailServer(options)
  const resolver = createResolver({ servers: [dns.address], timeoutMs: 3_000, tries: 1 })
  const router = directResolver(
    mailExchanger(resolver, { port: server.port, allowPrivateAddresses: true, clock: systemClock }),
  )
  const app = await startApp(
    { POSTWREN_DELIVERY: 'direct', POSTWREN_DNS_SERVERS: dns.address, ...settings },
    { router, ...seams },
  )
  await emptyLedger(app)
  const acme = await app.as('acme')
  const name = `d-${Math.random().toString(36).slice(2)}.dev`
  await addVerifiedDomain(app, acme, name)
  return { app, acme, dns, server, from: `hello@${name}` }
}
