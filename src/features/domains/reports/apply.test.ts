import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { domainNamed, freshName } from '../../../../test/harness/domains.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { DmarcReport, DmarcRow } from '../../../mail/domain-reports/dmarc-report.ts'
import { applyDomainReport, MAX_REPORTS_OF_DAY, MAX_ROWS_OF_DAY, originOf, sourcesOf } from './apply.ts'
import { sweepReports } from './jobs.ts'

const row = (change: Partial<DmarcRow> = {}): DmarcRow => ({
  source: '192.0.2.1',
  count: 1,
  disposition: 'none',
  isSpfAligned: false,
  isDkimAligned: false,
  headerFrom: 'acme.example',
  spf: null,
  dkim: [],
  ...change,
})

const DOMAIN = { name: 'acme.example', return_path: 'send', selectors: ['postwren'] }

test('our own mail is known by the return path or by a key of ours, and by nothing that others can have', () => {
  const dkim = { domain: 'acme.example', selector: 'postwren', result: 'pass' }
  const origin = (change: Partial<DmarcRow>) => originOf(row(change), DOMAIN)

  expect(origin({ spf: { domain: 'send.acme.example', result: 'pass' } })).toBe('us')
  expect(origin({ spf: { domain: 'send.acme.example', result: 'fail' } })).toBe('unauthorized')
  expect(origin({ dkim: [dkim], isDkimAligned: true })).toBe('forwarded')
  expect(origin({ dkim: [{ ...dkim, selector: 'crm' }], isDkimAligned: true })).toBe('authorized')
  expect(origin({ dkim: [{ ...dkim, result: 'fail' }] })).toBe('unauthorized')
  expect(origin({ dkim: [{ ...dkim, domain: 'other.example' }] })).toBe('unauthorized')
})

test('rows that are the same are one, and what has no address is none', () => {
  const rows = [
    row({ count: 2 }),
    row({ source: 'nonsense' }),
    row({ count: 3 }),
    row({ source: '2001:DB8::1', count: 9 }),
  ]

  expect(sourcesOf({ rows }, DOMAIN)).toMatchObject([
    { source: '2001:db8::1', messages: 9 },
    { source: '192.0.2.1', messages: 5 },
  ])
})

async function start() {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: domain } = await acme.post('/domains', domainNamed(freshName()))
  const of = { team: acme.team, domainId: domain.id as string }
  const now = app.clock.now()
  const report = (reportId: string, rows: readonly DmarcRow[]): DmarcReport => ({
    ...{ kind: 'dmarc', reporter: 'Reports', reportId, domain: domain.name, policy: 'none', rows, isCut: false },
    ...{ from: now, to: now },
  })
  const apply = (one: DmarcReport) =>
    app.db.transaction((trx) => applyDomainReport(trx, of, { report: one, reporter: 'reports.example' }))
  const sources = () =>
    app.db.query<{ rows: number; messages: number; others: number }>(sql`
      select count(*)::float8 as rows, coalesce(sum(messages), 0)::float8 as messages,
        coalesce(sum(messages) filter (where source = ''), 0)::float8 as others
      from dmarc_sources where domain_id = ${domain.id}`)
  return { app, of, report, apply, sources }
}

test('a day of a domain has so many rows and reports, and the rest is counted without its addresses', async () => {
  const { app, of, report, apply, sources } = await start()
  const many = Array.from({ length: MAX_ROWS_OF_DAY + 500 }, (_, index) =>
    row({ source: `10.0.${index >> 8}.${index & 255}` }),
  )

  expect(await apply(report('one', many))).toBe(true)
  expect(await apply(report('two', many))).toBe(true)
  const [counted] = await sources()
  expect(counted).toEqual({ rows: MAX_ROWS_OF_DAY + 1, messages: 5_000, others: 3_000 })

  await app.db.query(sql`
    insert into domain_reports (team_id, domain_id, kind, reporter, report_id, day, messages, received_at)
    select ${of.team}, ${of.domainId}, 'dmarc', 'reports.example', n::text, ${app.clock.now()}::date, 1, now()
    from generate_series(3, ${MAX_REPORTS_OF_DAY}::int) n`)
  expect(await apply(report('late', [row()]))).toBe(false)
})

test('two processes that read the same report at once count it once', async () => {
  const { report, apply, sources } = await start()

  const kept = await Promise.all(Array.from({ length: 4 }, () => apply(report('same', [row({ count: 7 })]))))

  expect(kept.filter(Boolean)).toHaveLength(1)
  expect(await sources()).toMatchObject([{ messages: 7 }])
})

test('reports go after 400 days', async () => {
  const { app, of, report, apply, sources } = await start()
  await apply(report('new', [row()]))
  await app.db.query(sql`update dmarc_sources set day = day - 401 where domain_id = ${of.domainId}`)
  await apply(report('newer', [row({ count: 5 })]))

  await sweepReports.sweepTeam(app, of.team)

  expect(await sources()).toMatchObject([{ rows: 1, messages: 5 }])
})
