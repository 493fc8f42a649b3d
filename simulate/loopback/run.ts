import { setTimeout as delay } from 'node:timers/promises'
import { atEnd } from '../../bench/cleanup.ts'
import { POLICY_LABEL } from '../../src/mail/hosted-policy.ts'
import { randomOf } from '../random.ts'
import { allowance } from '../sites/allowance.ts'
import type { World } from '../sites/site-policy.ts'
import type { SiteResult, VirtualResult } from '../virtual/run.ts'
import { type MailSite, openMailSite } from './mail-site.ts'
import { openNameServer } from './name-server.ts'
import { openAuthority, openPolicyHost, type Pair } from './policy-host.ts'
import { RETRY_SCHEDULE, startProgram } from './program.ts'

export interface LoopbackOptions {
  readonly world: World
  readonly seed: number
  readonly emails: number
  readonly minutes: number
  readonly retrySchedule?: string
  /** What is going on, and how much of it is done. */
  readonly onProgress?: (text: string, part: number) => void
}

const LOOK_EVERY_MS = 500
/** 127.66.0.1, 127.66.0.2 …: addresses of loopback that nobody else has in mind. */
const FIRST_ADDRESS = 1
/** Where policies are, behind all sites. */
const POLICY_ADDRESS = '127.66.255.2'

/** The real program against the world's sites, in real time, until all mail is settled or the time is over. */
export async function runLoopback(options: LoopbackOptions): Promise<VirtualResult> {
  const { world, seed, emails, minutes, retrySchedule = RETRY_SCHEDULE, onProgress } = options
  const dns = await openNameServer()
  atEnd(() => dns.close())
  const authority = openAuthority()
  atEnd(() => authority.close())
  const sites = await openSites(world, dns, authority.pairFor)
  const policies = await openPolicyHost(world.sites, { address: POLICY_ADDRESS, pairFor: authority.pairFor })
  atEnd(() => policies.close())
  for (const domain of policies.domains) {
    dns.set(`_mta-sts.${domain}`, { TXT: [['v=STSv1; id=1;']] })
    dns.set(`${POLICY_LABEL}.${domain}`, { A: [POLICY_ADDRESS] })
  }
  onProgress?.('starting the program', 0)
  const program = await startProgram(dns, { retrySchedule, trusted: authority.trusted() })
  const tenants = Array.from({ length: world.tenants }, (_, index) => `tenant${index + 1}.internal`)
  for (const tenant of tenants) await program.addDomain(tenant)

  const mails = emailsFor({ world, tenants, emails, seed })
  const startedMs = performance.now()
  await program.send(mails)
  const untilMs = startedMs + minutes * 60_000
  for (;;) {
    const { settled, taken } = progressOf(sites)
    const nowMs = performance.now()
    onProgress?.(`${taken} of ${emails} taken`, Math.max(settled / emails, (nowMs - startedMs) / (untilMs - startedMs)))
    if (settled >= emails || nowMs > untilMs) break
    await delay(Math.min(LOOK_EVERY_MS, Math.max(1, untilMs - nowMs)))
  }
  const hours = (performance.now() - startedMs) / 3_600_000
  await program.stop()
  const offers = offersOf(mails)
  return { strategy: 'this program', sites: sites.map((site) => resultOf(site, { world, hours, offers })) }
}

async function openSites(
  world: World,
  dns: Awaited<ReturnType<typeof openNameServer>>,
  pairFor: (host: string) => Pair,
): Promise<MailSite[]> {
  const sites: MailSite[] = []
  let next = FIRST_ADDRESS
  const addressFor = () => {
    const address = `127.66.${next >> 8}.${next & 0xff}`
    // Neither the network's own address nor that for everybody.
    next += (next & 0xff) === 0xfe ? 3 : 1
    return address
  }
  for (const definition of world.sites) {
    const site = await openMailSite(definition, { addressFor, pairFor })
    atEnd(() => site.close())
    sites.push(site)
    const MX = definition.hosts.map((exchange, index) => ({ exchange, preference: 10 * (index + 1) }))
    for (const domain of definition.domains) dns.set(domain, { MX })
    for (const [host, address] of site.addresses) dns.set(host, { A: [address] })
  }
  return sites
}

/** As much for each site as its part of the world's mail, mixed: a broadcast to everybody. */
function emailsFor({
  world,
  tenants,
  emails,
  seed,
}: {
  world: World
  tenants: string[]
  emails: number
  seed: number
}) {
  const random = randomOf(seed)
  const ends: number[] = []
  for (const { daily_offer } of world.sites) ends.push((ends.at(-1) ?? 0) + daily_offer)
  return Array.from({ length: emails }, (_, index) => {
    const ticket = random() * ends.at(-1)!
    const site = world.sites[ends.findIndex((end) => ticket < end)]!
    const domain = site.domains[Math.floor(random() * site.domains.length)]!
    return { from: tenants[index % tenants.length]!, to: `user${index}@${domain}`, site: site.name }
  })
}

function offersOf(emails: readonly { site: string }[]): ReadonlyMap<string, number> {
  const offers = new Map<string, number>()
  for (const { site } of emails) offers.set(site, (offers.get(site) ?? 0) + 1)
  return offers
}

function progressOf(sites: readonly MailSite[]) {
  const taken = sites.reduce((sum, { site }) => sum + site.counts.taken, 0)
  const refused = sites.reduce((sum, { site }) => sum + site.counts.refused, 0)
  return { taken, settled: taken + refused }
}

/** What one source could have brought on a first day of that length. */
function resultOf(
  { site, definition }: MailSite,
  { world, hours, offers }: { world: World; hours: number; offers: ReadonlyMap<string, number> },
): SiteResult {
  const offer = offers.get(definition.name) ?? 0
  const day: World = { ...world, window_hours: hours, sources: ['127.0.0.1'] }
  const allowed = offer === 0 ? 0 : allowance({ ...definition, daily_offer: offer }, day, 0)
  return { site: definition.name, allowed, lost: site.counts.refusedBlocked, warmth: [], ...site.counts }
}
