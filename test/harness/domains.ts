import { jobsOf } from '../../src/features/feature.ts'
import { PRODUCT } from '../../src/features/index.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { ensureRecurring } from '../../src/kernel/jobs/queries.ts'
import { startApp } from './app.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'

export const MAIL_HOST = 'mx.postwren.test'

/** The app with a name server of its own, and with the jobs that recur by themselves. */
export async function startAppWithDns(settings: Record<string, string> = {}) {
  const dns = await startDnsServer()
  const app = await startApp({ POSTWREN_DNS_SERVERS: dns.address, POSTWREN_HOSTNAME: MAIL_HOST, ...settings })
  // A test before this one may have been ahead in time.
  await app.db.query(sql`delete from jobs`)
  await ensureRecurring(app.db, jobsOf(PRODUCT))
  return {
    ...app,
    dns,
    /** Lets time pass and does what is due then. */
    async after(seconds: number) {
      app.clock.advance(seconds)
      await app.runDueJobs()
    },
  }
}

let made = 0

/** A name that no other test uses: they share an installation, and names are unique in it. */
export const freshName = () => `d${++made}-${Math.random().toString(36).slice(2, 8)}.example`

/** The quickest way to a domain: RSA keys take their time. */
export const domainNamed = (name: string) => ({ name, dkim: 'ed25519' })

/** As an answer of the API has it. */
interface PublishedRecord {
  readonly record: string
  readonly type: string
  readonly name: string
  readonly value: string
  readonly priority?: number
}

interface PublishedDomain {
  readonly name: string
  readonly records: readonly PublishedRecord[]
}

/** Does what the owner of the domain is asked to do: all of it, or only the records that are wanted. */
export function publish(
  dns: DnsServer,
  domain: PublishedDomain,
  isWanted: (record: PublishedRecord) => boolean = () => true,
) {
  for (const [host, records] of groupByHost(domain)) {
    const wanted = records.filter(isWanted)
    const of = (type: string) => wanted.filter((record) => record.type === type)
    if (wanted.length === 0) {
      dns.remove(host)
      continue
    }
    dns.set(host, {
      ...(of('CNAME')[0] && { CNAME: of('CNAME')[0]!.value }),
      MX: of('MX').map(({ value, priority }) => ({ exchange: value, preference: priority! })),
      TXT: of('TXT').map(({ value }) => chunks(value.replaceAll('"', ''))),
    })
  }
}

function groupByHost({ name, records }: PublishedDomain) {
  const hosts = new Map<string, PublishedRecord[]>()
  for (const record of records) {
    const host = record.name === name ? name : `${record.name}.${name}`
    hosts.set(host, [...(hosts.get(host) ?? []), record])
  }
  return hosts
}

/** One string of a TXT record holds 255 characters; an RSA key needs two. */
const chunks = (text: string) => text.match(/.{1,255}/g) ?? []
