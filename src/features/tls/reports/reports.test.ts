import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { startDnsServer } from '../../../../test/harness/dns-server.ts'
import { emptyLedger } from '../../../../test/harness/emails.ts'
import { startMailServer } from '../../../../test/harness/mail-server.ts'
import { mailExchanger } from '../../../adapters/dns/mail-exchanger.ts'
import { createResolver } from '../../../adapters/dns/resolver.ts'
import type { TlsSeen } from '../../../adapters/smtp-client/destination.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { systemClock } from '../../../platform/clock.ts'
import { directResolver } from '../../emails/delivery/transport/destination-resolvers.ts'
import { NO_POLICY } from '../policies/policies.ts'
import { sendTlsReports } from './jobs.ts'
import { TlsReports } from './reports.ts'

const STS = { mode: 'enforce', mx: ['mx.example.com'], maxAgeSeconds: 86_400 } as const
const seen = (result: TlsSeen['result'], isEncrypted = true): TlsSeen => ({
  ...{ host: 'mx.example.com', address: '192.0.2.1', localAddress: '192.0.2.9', result, isEncrypted },
})

async function startWorld() {
  const dns = await startDnsServer()
  const server = await startMailServer()
  const resolver = createResolver({ servers: [dns.address], timeoutMs: 3_000, tries: 1 })
  const exchanger = mailExchanger(resolver, { port: server.port, allowPrivateAddresses: true, clock: systemClock })
  // Whoever sends a report does not go by the policy that it may be about.
  const policies = { find: () => ({ ...STS, mx: ['nobody.test'] }), observe: () => {} }
  const app = await startApp(
    { POSTWREN_DELIVERY: 'direct', POSTWREN_DNS_SERVERS: dns.address, POSTWREN_HOSTNAME: 'us.example.org' },
    { router: directResolver(exchanger, policies) },
  )
  await emptyLedger(app)
  for (const table of [sql.write`delete from tls_report_counts`, sql.write`delete from tls_reports`])
    await app.db.query(table)
  const posts: { url: string; body: Buffer }[] = []
  let postStatus = 201
  const http = {
    async send({ url, body }: { url: string; body?: string | Buffer }) {
      posts.push({ url, body: body as Buffer })
      return { kind: 'answered' as const, status: postStatus, headers: {}, body: Buffer.alloc(0) }
    },
  }
  const { services } = app
  const node = () => new TlsReports({ db: app.db, log: services.log, resolver, http })
  const want = (domain: string, rua: string) => dns.set(`_smtp._tls.${domain}`, { TXT: [[`v=TLSRPTv1; rua=${rua}`]] })
  dns.set('example.com', { A: ['127.0.0.1'] })
  return {
    ...{ app, dns, server, posts, node, want },
    answerPosts: (status: number) => {
      postStatus = status
    },
    run: () => sendTlsReports.run({}, { ...services, tlsReports: node(), signal: new AbortController().signal }),
    counts: () =>
      app.db.query<{ domain: string; policy: string; result: string; sessions: string }>(sql`
        select domain, policy, result, sessions::int from tls_report_counts order by 1, 2, 3`),
  }
}

const DAY = 86_400
/** Past the hours over which reports are spread. */
const nextMorning = ({ clock }: { clock: { now(): Date; advance(seconds: number): void } }) => {
  const sinceMidnight = (clock.now().getTime() / 1_000) % DAY
  clock.advance(DAY - sinceMidnight + 5 * 3_600)
}

test('sessions are added up by day for those who want to hear of them, by all nodes, and for nobody else', async () => {
  const { node, want, counts } = await startWorld()
  want('example.com', 'mailto:tls@example.com')
  const [one, other] = [node(), node()]
  for (const reports of [one, other]) {
    reports.note('example.com', STS, seen('success'))
    reports.note('example.com', STS, seen('success'))
    reports.note('example.com', STS, seen('certificate-expired'))
    reports.note('silent.dev', STS, seen('success'))
  }
  one.note('example.com', NO_POLICY, seen('certificate-not-trusted'))
  one.note('example.com', NO_POLICY, seen('starttls-not-supported', false))
  one.note('example.com', { ...NO_POLICY, problem: { kind: 'failed', reason: 'no answer' } }, seen('success'))
  one.note('example.com', STS, 'mx-mismatch')

  await Promise.all([one.flush(), other.flush()])

  const domain = 'example.com'
  expect(await counts()).toEqual([
    { domain, policy: 'no-policy-found', result: 'starttls-not-supported', sessions: 1 },
    { domain, policy: 'no-policy-found', result: 'success', sessions: 1 },
    { domain, policy: 'sts', result: 'certificate-expired', sessions: 2 },
    { domain, policy: 'sts', result: 'sts-policy-fetch-error', sessions: 1 },
    { domain, policy: 'sts', result: 'success', sessions: 4 },
    { domain, policy: 'sts', result: 'validation-failure', sessions: 1 },
  ])
})

test('the report of a day is mailed once, the day after, whoever is first', async () => {
  const { app, node, want, run, server } = await startWorld()
  want('example.com', 'mailto:tls@example.com')
  const reports = node()
  reports.note('example.com', STS, seen('success'))
  reports.note('example.com', STS, seen('certificate-host-mismatch'))
  await reports.flush()
  const day = app.clock.now().toISOString().slice(0, 10)

  await run()
  await app.deliverDue()
  expect(server.messages).toEqual([])
  nextMorning(app)
  await Promise.all([run(), run()])
  await run()
  await app.deliverDue()

  expect(server.messages.map(({ to }) => to)).toEqual([['tls@example.com']])
  const text = server.messages[0]!.bytes.toString()
  expect(text).toMatch(/^Message-ID: </im)
  expect(text).toContain('multipart/report; report-type="tlsrpt"')
  const [, packed] = /filename="us\.example\.org!example\.com![^"]+"\r\n\r\n([\w+/=\r\n]+)\r\n--/.exec(text)!
  expect(JSON.parse(gunzipSync(Buffer.from(packed!, 'base64')).toString())).toMatchObject({
    'organization-name': 'us.example.org',
    'report-id': `${day}_example.com@us.example.org`,
    policies: [{ summary: { 'total-successful-session-count': 1, 'total-failure-session-count': 1 } }],
  })
})

test('one by HTTPS is posted again until it is taken, for a day', async () => {
  const { app, node, want, run, posts, answerPosts } = await startWorld()
  want('example.com', 'https://reports.example.com/tls')
  const reports = node()
  reports.note('example.com', STS, seen('success'))
  await reports.flush()
  nextMorning(app)

  answerPosts(503)
  await run()
  await run()
  answerPosts(200)
  await run()
  await run()

  expect(posts.map(({ url }) => url)).toEqual(Array(3).fill('https://reports.example.com/tls'))
  expect(JSON.parse(gunzipSync(posts[2]!.body).toString())).toMatchObject({ 'contact-info': 'no-reply@us.example.org' })
})

test('who wants no reports any more gets none, and what nobody answers about waits', async () => {
  const { app, dns, node, want, run, server } = await startWorld()
  want('example.com', 'mailto:tls@example.com')
  want('slow.dev', 'mailto:tls@example.com')
  const reports = node()
  reports.note('example.com', STS, seen('success'))
  reports.note('slow.dev', STS, seen('success'))
  await reports.flush()
  dns.remove('_smtp._tls.example.com')
  dns.fault('_smtp._tls.slow.dev', 'servfail')
  nextMorning(app)

  await run()
  dns.fault('_smtp._tls.slow.dev', null)
  want('example.com', 'mailto:tls@example.com')
  await run()
  await app.deliverDue()

  expect(server.messages.map(({ bytes }) => /TLS-Report-Domain: (\S+)/.exec(bytes.toString())?.[1])).toEqual([
    'slow.dev',
  ])
})
