import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { atEnd } from '../../bench/cleanup.ts'
import { AUTHORIZATION, startService } from '../../bench/service.ts'
import type { openNameServer } from './name-server.ts'
import { type PublishedDomain, publish } from './publish.ts'

type NameServer = Awaited<ReturnType<typeof openNameServer>>

/** Mail that is deferred comes back within the run. */
export const RETRY_SCHEDULE = '10s,20s,30s,1m'
const VERIFY_WITHIN_MS = 60_000
const MAX_BATCH = 100

/** The program itself, in direct mode, with the simulated internet around it. */
export async function startProgram(
  dns: NameServer,
  /** `trusted`: a file with certificates of the simulated internet. */
  { retrySchedule, trusted }: { retrySchedule: string; trusted: string },
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postwren-simulate-'))
  atEnd(() => rmSync(dataDir, { recursive: true, force: true }))
  dns.set('mail.sender.internal', { A: ['127.0.0.1'] })
  const service = await startService(dataDir, 'postwren serve', {
    POSTWREN_DELIVERY: 'direct',
    POSTWREN_DNS_SERVERS: dns.address,
    POSTWREN_PRIVATE_ADDRESSES: 'allow',
    POSTWREN_HOSTNAME: 'mail.sender.internal',
    POSTWREN_RETRY_SCHEDULE: retrySchedule,
    NODE_EXTRA_CA_CERTS: trusted,
  })

  async function call<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
    const reply = await fetch(`${service.url}${path}`, {
      method,
      headers: { ...AUTHORIZATION, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`)
    return (await reply.json()) as Reply
  }

  return {
    /** As the owner of a domain does it. */
    async addDomain(name: string) {
      const domain = await call<PublishedDomain & { id: string }>('POST', '/domains', { name })
      publish(dns, domain)
      await call('POST', `/domains/${domain.id}/verify`)
      const deadline = performance.now() + VERIFY_WITHIN_MS
      for (;;) {
        const { status } = await call<{ status: string }>('GET', `/domains/${domain.id}`)
        if (status === 'verified') return
        if (performance.now() > deadline) throw new Error(`The domain ${name} is ${status} after a minute.`)
        await delay(200)
      }
    },

    /** One email for each recipient. */
    async send(emails: readonly { from: string; to: string }[]) {
      for (let start = 0; start < emails.length; start += MAX_BATCH) {
        const batch = emails.slice(start, start + MAX_BATCH).map(({ from, to }) => ({
          from: `sender@${from}`,
          to,
          subject: 'News of the day',
          html: `<p>Read <a href="https://links.${from}/news">the news</a>.</p>`,
        }))
        await call('POST', '/emails/batch', batch)
      }
    },

    stop: () => service.stop(),
  }
}
