import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { newId } from '../../../platform/ids.ts'
import { readReport, sweepReportMails } from './jobs.ts'

/** A mail of each kind that brought a report, so many days ago. */
async function start() {
  const app = await startApp()
  const stored = async () => {
    const [row] = await app.db.query<{ ids: string[] }>(sql`
      select array(select id from delivery_reports union all select id from domain_report_mails) as ids`)
    return row!.ids
  }
  const keep = async (daysAgo: number) => {
    const [bounce, report] = [newId(app.clock), newId(app.clock)]
    const moment = new Date(app.clock.now().getTime() - daysAgo * 86_400_000)
    await app.db.query(sql.write`
      insert into delivery_reports (id, email_id, raw, created_at) values (${bounce}, ${newId(app.clock)}, '', ${moment})`)
    await app.db.query(sql.write`
      insert into domain_report_mails (id, domain_id, kind, envelope_from, client_address, helo, raw, created_at)
      values (${report}, ${newId(app.clock)}, 'dmarc', '', '192.0.2.1', '', '', ${moment})`)
    return [bounce, report] as const
  }
  return { app, stored, keep }
}

test('mails with reports that nobody reads any more go after a week', async () => {
  const { app, stored, keep } = await start()
  const [old, young] = [await keep(8), await keep(6)]

  await sweepReportMails.run({}, { ...app.services, signal: new AbortController().signal })

  const left = await stored()
  expect(left).toEqual(expect.arrayContaining([...young]))
  expect(left.filter((id) => old.includes(id))).toEqual([])
})

test('and with the job that was to read them, when that is given up', async () => {
  const { app, stored, keep } = await start()
  const [bounce] = await keep(0)

  await app.db.transaction((trx) => readReport.giveUp!({ id: bounce }, trx))

  expect(await stored()).not.toContain(bounce)
})
