import { jobsOf } from '../../src/features/feature.ts'
import { PRODUCT } from '../../src/features/index.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { ensureRecurring } from '../../src/kernel/jobs/queries.ts'
import { startApp } from './app.ts'
import { startDnsServer } from './dns-server.ts'

export { publish } from '../../simulate/loopback/publish.ts'

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
