import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { arrive } from '../../../../test/harness/arriving.ts'
import { freshName, publish, startAppWithDns } from '../../../../test/harness/domains.ts'
import { packed } from '../../../../test/harness/packed.ts'
import { sql } from '../../../kernel/db/sql.ts'

const golden = (name: string) =>
  readFileSync(new URL(`../../../mail/domain-reports/golden/${name}`, import.meta.url)).toString()

const DAY_MS = 86_400_000
const FROM = 'reports@reports.example'

/** A verified domain, and a reporter whose mail is proven by SPF. */
async function start() {
  const app = await startAppWithDns()
  const acme = await app.as('acme')
  const { body: domain } = await acme.post('/domains', {
    name: freshName(),
    dkim: 'ed25519',
    capabilities: { receiving: 'enabled' },
  })
  const path = `/domains/${domain.id}`
  publish(app.dns, domain)
  await acme.post(`${path}/verify`)
  await app.after(60)
  app.dns.set('reports.example', { TXT: [['v=spf1 ip4:192.0.2.1 -all']] })
  app.dns.set('_dmarc.reports.example', { TXT: [['v=DMARC1; p=reject']] })
  /** A golden report, about this domain and `daysAgo`. */
  const report = (name: string, { daysAgo = 1, id = '' } = {}) => {
    const begin = Math.floor((app.clock.now().getTime() - daysAgo * DAY_MS) / 1_000)
    return Buffer.from(
      golden(name)
        .replaceAll('acme.example', domain.name)
        .replaceAll('<selector>postwren</selector>', '<selector>postwren-ed25519</selector>')
        .replace(/1794873600/g, String(begin))
        .replace(/17949(?:59999|60000)/g, String(begin + 86_399))
        .replace(/"2026-11-17T/g, `"${new Date(begin * 1_000).toISOString().slice(0, 10)}T`)
        .replace('</report_id>', `${id}</report_id>`),
    )
  }
  return {
    app,
    acme,
    domain,
    path,
    report,
    async send(
      file: Buffer,
      { to = 'dmarc', from = FROM, name = 'report.xml', how = 'gzip' as 'gzip' | 'zip' | 'plain' } = {},
    ) {
      const answer = await arrive(app, packed(file, { name, how, from }), { to: [`${to}@send.${domain.name}`], from })
      await app.runDueJobs()
      return answer
    },
    reports: async (query = '') => (await acme.get(`${path}/reports${query}`)).body,
  }
}

describe('reports about a domain', () => {
  test('are read from mail to its return path: who sends, what passes, what fails', async () => {
    const { send, report, reports, acme, domain } = await start()

    expect((await reports()).next_step).toMatchObject({ kind: 'wait_for_reports' })
    await send(report('google.xml'), { how: 'zip' })

    const { dmarc, next_step } = await reports()
    expect(dmarc).toMatchObject({
      messages: 424,
      aligned: 415,
      spf_aligned: 412,
      policy: 'none',
      reporters: [{ name: 'reports.example', reports: 1, messages: 424 }],
    })
    expect(dmarc.sources).toMatchObject([
      { address: '192.0.2.10', origin: 'us', messages: 412, aligned: 412, spf_domains: [`send.${domain.name}`] },
      {
        address: '198.51.100.77',
        origin: 'unauthorized',
        messages: 9,
        aligned: 0,
        spf_domains: ['newsletter.example'],
      },
      { address: '2001:db8::25', origin: 'forwarded', messages: 3, aligned: 3 },
    ])
    expect(next_step).toMatchObject({ kind: 'collect_more', value: null })
    expect((await acme.get('/emails/receiving')).body.data).toEqual([])
  })

  test('are of as many days as are asked for', async () => {
    const { reports } = await start()

    const [week, month] = [await reports('?days=7'), await reports()]

    expect(Date.parse(week.since) - Date.parse(month.since)).toBe(23 * 86_400_000)
    expect(await reports('?days=91')).toMatchObject({ message: 'The `days` must be a number from 1 to 90.' })
  })

  test('count once, and those of others beside them', async () => {
    const { send, report, reports } = await start()

    await send(report('google.xml'))
    await send(report('google.xml'), { how: 'plain' })
    await send(report('microsoft.xml'))
    await send(report('fastmail.xml'))

    const { dmarc } = await reports()
    expect(dmarc).toMatchObject({ messages: 424 + 59 + 8, quarantined: 2 })
    expect(dmarc.sources).toContainEqual(expect.objectContaining({ address: '192.0.2.11', origin: 'authorized' }))
  })

  test('about TLS', async () => {
    const { send, report, reports } = await start()

    await send(report('tls.json'), { to: 'tls', name: 'tls.json' })

    expect((await reports()).tls).toMatchObject({
      sessions: 125,
      failed: 5,
      reporters: [{ name: 'reports.example', messages: 125 }],
      failures: [
        { result: 'certificate-expired', sessions: 4 },
        { result: 'starttls-not-supported', sessions: 1 },
      ],
    })
  })

  test('of unproven senders, about other domains, too old or unreadable ones change nothing, and leave nothing', async () => {
    const { app, send, report, reports, domain } = await start()

    await send(report('google.xml'), { from: 'reports@forged.example' })
    await send(Buffer.from(golden('google.xml')))
    await send(report('google.xml', { daysAgo: 100 }))
    await send(Buffer.from('<feedback>'))
    await send(gzipSync(Buffer.alloc(30_000_000)))
    await send(report('tls.json'), { to: 'dmarc' })

    expect((await reports()).dmarc).toMatchObject({ messages: 0, reporters: [], sources: [] })
    expect(await app.db.query(sql`select id from domain_report_mails where domain_id = ${domain.id}`)).toEqual([])
    expect(await app.db.query(sql`select id from jobs where name = 'received-emails.read-domain-report'`)).toEqual([])
  })

  test('wait while name servers do not answer', async () => {
    const { app, send, report, reports } = await start()
    app.dns.fault('reports.example', 'servfail')
    app.dns.fault('_dmarc.reports.example', 'servfail')

    await send(report('google.xml'))
    expect((await reports()).dmarc.messages).toBe(0)

    app.dns.fault('reports.example', null)
    app.dns.fault('_dmarc.reports.example', null)
    await app.after(20)
    await app.after(90)
    expect((await reports()).dmarc.messages).toBe(424)
  })

  test('are taken for domains that are verified, and nobody sees those of other teams', async () => {
    const { app, acme, path, send, report, domain } = await start()
    const globex = await app.as('globex')
    const { body: unproven } = await globex.post('/domains', { name: freshName(), dkim: 'ed25519' })
    await send(report('google.xml'))

    expect((await globex.get(`${path}/reports`)).status).toBe(404)
    await arrive(app, packed(report('google.xml'), { name: 'a.xml', how: 'gzip' }), {
      to: [`dmarc@send.${unproven.name}`],
      from: FROM,
    }).catch(() => null)
    expect(await app.db.query(sql`select id from domain_report_mails where domain_id = ${unproven.id}`)).toEqual([])

    await acme.delete(path)
    expect(await app.db.query(sql`select day from dmarc_sources where domain_id = ${domain.id}`)).toEqual([])
  })

  test('lead to a stricter policy when two weeks of them allow it', async () => {
    const { app, acme, path, send, report, reports, domain } = await start()
    const good = (daysAgo: number, id: string) =>
      Buffer.from(report('google.xml', { daysAgo, id }).toString().replace('>9<', '>1<'))
    for (let day = 1; day <= 14; day++) await send(good(day, `.${day}`))

    const { next_step } = await reports()
    expect(next_step).toMatchObject({
      kind: 'quarantine',
      value: `v=DMARC1; p=quarantine; rua=mailto:dmarc@send.${domain.name}`,
    })
    expect(next_step.text).toMatch(/198\.51\.100\.77 \(14\)/)

    // Another policy begins anew.
    app.dns.set(`_dmarc.${domain.name}`, { TXT: [[next_step.value]] })
    await acme.post(`${path}/verify`)
    await app.runDueJobs()
    await send(
      Buffer.from(report('google.xml', { daysAgo: 0, id: '.q' }).toString().replace('<p>none', '<p>quarantine')),
    )
    expect((await reports()).next_step).toMatchObject({
      kind: 'collect_more',
      text: expect.stringMatching(/p=quarantine.* 1 of 14/),
    })
  })
})

describe('the suggested DMARC record', () => {
  test('adds our address to the record that is there, and keeps the policy of the domain above', async () => {
    const { app, acme, path, domain } = await start()
    const shown = async (of: string) =>
      (await acme.get(of)).body.records.find(({ suggestion }: Record<string, string>) => suggestion === 'DMARC')
    expect(await shown(path)).toMatchObject({ status: 'verified' })

    app.dns.set(`_dmarc.${domain.name}`, { TXT: [['v=DMARC1; p=reject; sp=quarantine; rua=mailto:a@b.example']] })
    await acme.post(`${path}/verify`)
    await app.runDueJobs()
    expect((await acme.get(path)).body).toMatchObject({ status: 'verified' })
    expect(await shown(path)).toMatchObject({
      status: 'not_started',
      value: `v=DMARC1; p=reject; sp=quarantine; rua=mailto:a@b.example,mailto:dmarc@send.${domain.name}`,
    })

    const { body: below } = await acme.post('/domains', { name: `mail.${domain.name}`, dkim: 'ed25519' })
    await acme.post(`/domains/${below.id}/verify`)
    await app.after(60)
    expect(await shown(`/domains/${below.id}`)).toMatchObject({
      value: `v=DMARC1; p=quarantine; rua=mailto:a@b.example,mailto:dmarc@send.mail.${domain.name}`,
    })
  })
})
