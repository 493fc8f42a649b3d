import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { domainNamed, freshName } from '../../../../test/harness/domains.ts'
import { sql } from '../../../kernel/db/sql.ts'
import {
  type FoldedDmarcReport,
  type FoldedReport,
  MAX_ROWS_OF_DAY,
  type SourceRow,
} from '../../../mail/domain-reports/fold.ts'
import { applyDomainReport, MAX_REPORTS_OF_DAY, MAX_REPORTS_OF_REPORTER } from './apply.ts'
import { sweepReports } from './jobs.ts'

const row = (change: Partial<SourceRow> = {}): SourceRow => ({
  ...{ source: '192.0.2.1', origin: 'authorized', disposition: 'none', isSpfAligned: false, isDkimAligned: false },
  ...{ spfDomain: '', dkimDomain: '', messages: 1 },
  ...change,
})

async function start() {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: domain } = await acme.post('/domains', domainNamed(freshName()))
  const of = { team: acme.team, domainId: domain.id as string }
  const from = app.clock.now()
  const report = (reportId: string, rows: readonly SourceRow[]): FoldedDmarcReport => ({
    ...{ kind: 'dmarc', reportId, from, policy: 'none', messages: 1, rows },
  })
  const apply = (one: FoldedReport, reporter = 'reports.example') =>
    app.db.transaction((trx) => applyDomainReport(trx, of, { report: one, reporter }))
  const sources = () =>
    app.db.query<{ rows: number; messages: number; others: number }>(sql`
      select count(*)::float8 as rows, coalesce(sum(messages), 0)::float8 as messages,
        coalesce(sum(messages) filter (where source = ''), 0)::float8 as others
      from dmarc_sources where domain_id = ${domain.id}`)
  return { app, of, report, apply, sources }
}

test('a day of a domain has so many rows and reports, and the rest is counted without its addresses', async () => {
  const { report, apply, sources } = await start()
  const many = Array.from({ length: MAX_ROWS_OF_DAY + 500 }, (_, index) =>
    row({ source: `10.0.${index >> 8}.${index & 255}` }),
  )

  expect(await apply(report('one', many))).toBe(true)
  expect(await apply(report('two', many))).toBe(true)
  const [counted] = await sources()
  expect(counted).toEqual({ rows: MAX_ROWS_OF_DAY + 1, messages: 5_000, others: 3_000 })
})

test('one reporter has so many reports of a day, and all of them so many of each kind', async () => {
  const { app, of, report, apply, sources } = await start()
  const tls = (reportId: string): FoldedReport => ({
    kind: 'tls',
    reportId,
    from: app.clock.now(),
    messages: 1,
    rows: [],
  })

  for (let n = 0; n < MAX_REPORTS_OF_REPORTER; n++)
    expect(await apply(report(`${n}`, [row()]), `m${n}.evil.example`)).toBe(true)

  expect(await apply(report('more', [row()]), 'm1.evil.example')).toBe(false)
  expect(await apply(report('more', [row()]), 'evil.example')).toBe(false)
  expect(await apply(tls('1'), 'evil.example')).toBe(true)
  expect(await apply(report('1', [row()]), 'notevil.example')).toBe(true)
  expect(await sources()).toMatchObject([{ messages: MAX_REPORTS_OF_REPORTER + 1 }])

  await app.db.query(sql`
    insert into domain_reports (team_id, domain_id, kind, reporter, report_id, day, messages, received_at)
    select ${of.team}, ${of.domainId}, 'dmarc', n || '.example', '1', ${app.clock.now()}::date, 1, now()
    from generate_series(${MAX_REPORTS_OF_REPORTER + 2}::int, ${MAX_REPORTS_OF_DAY}::int) n`)
  expect(await apply(report('late', [row()]))).toBe(false)
  expect(await apply(tls('2'))).toBe(true)
})

test('two processes that read the same report at once count it once', async () => {
  const { report, apply, sources } = await start()

  const kept = await Promise.all(Array.from({ length: 4 }, () => apply(report('same', [row({ messages: 7 })]))))

  expect(kept.filter(Boolean)).toHaveLength(1)
  expect(await sources()).toMatchObject([{ messages: 7 }])
})

test('reports go after 400 days', async () => {
  const { app, of, report, apply, sources } = await start()
  await apply(report('new', [row()]))
  await app.db.query(sql`update dmarc_sources set day = day - 401 where domain_id = ${of.domainId}`)
  await apply(report('newer', [row({ messages: 5 })]))

  await sweepReports.sweepTeam(app, of.team)

  expect(await sources()).toMatchObject([{ rows: 1, messages: 5 }])
})
