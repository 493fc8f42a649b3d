import { claimDue } from '../src/features/emails/delivery/queries.ts'
import { sql } from '../src/kernel/db/sql.ts'
import { systemClock } from '../src/platform/clock.ts'
import { newId } from '../src/platform/ids.ts'
import { type JoinedDatabase, joinDatabase, temporaryDataDir } from './database.ts'
import { calm } from './processes.ts'
import { note, progress } from './progress.ts'
import { median, printReport, type Row } from './report.ts'
import { startService } from './service.ts'

/** What three minutes of 100 emails a second leave behind, in steps. */
const STEPS = [0, 6_000, 12_000, 18_000]
const BATCH = 500
const CLAIMS = 60
const NODE = 1

/** What a claim costs while a transaction elsewhere (a backup) keeps dead rows from being removed. */
export async function ledger({ isForMachines }: { isForMachines: boolean }) {
  const dataDir = temporaryDataDir()
  const service = await startService(dataDir, 'postwren serve', { POSTWREN_ROLES: 'api' })
  const database = await joinDatabase(dataDir)
  const [{ team }] = (await database.db.query<{ team: string }>(sql`select id as team from teams limit 1`)) as [
    { team: string },
  ]
  const rows: Row[] = []
  await database.db.transaction(async (backup) => {
    await backup.query(sql`set transaction isolation level repeatable read`)
    await backup.query(sql`select count(*) from deliveries`)
    let done = 0
    let first = 0
    for (const goal of STEPS) {
      for (; done < goal; done += BATCH) {
        progress(`emails while a backup runs: ${done.toLocaleString('en')}`)
        await deliver(database, team, BATCH)
      }
      await calm()
      const fromBegin = await costOfClaim(database, team, () => null)
      const fromCursor = await costOfClaim(database, team, () => new Date(Date.now() - 2_000))
      if (goal === 0) first = fromCursor
      note(
        `after ${goal.toLocaleString('en')} emails: ${fromBegin.toFixed(2)} ms from the beginning, ${fromCursor.toFixed(2)} ms from the cursor`,
      )
      if (goal === STEPS.at(-1)) rows.push(row(goal, { fromBegin, fromCursor, first }))
    }
  })
  await service.stop()
  await database.leave()
  printReport(rows, isForMachines)
}

/** A long time ago, so that only the dead rows of these mails lie before the cursor. */
async function deliver({ db }: JoinedDatabase, team: string, count: number) {
  const minute = new Date(Date.now() - 60_000)
  await insert(db, team, count, minute)
  for (;;) {
    const claimed = await claimDue(db, { node: NODE, now: new Date(), of: [{ priority: 0, limit: 100, since: null }] })
    if (claimed.length === 0) return
    await db.query(sql`
      update deliveries set state = 'delivered', holder = null, settled_at = now()
      where team_id = ${team} and email_id = any (${claimed.map(({ emailId }) => emailId)}::uuid[])`)
  }
}

async function costOfClaim({ db }: JoinedDatabase, team: string, since: () => Date | null): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < CLAIMS; n++) {
    await insert(db, team, 1, new Date())
    const begin = performance.now()
    await claimDue(db, { node: NODE, now: new Date(), of: [{ priority: 0, limit: 100, since: since() }] })
    times.push(performance.now() - begin)
  }
  return median(times)
}

const insert = (db: JoinedDatabase['db'], team: string, count: number, dueAt: Date) =>
  db.query(sql`
    with made as (
      insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
      select ${team}, id, '<' || id || '@bench.dev>', 'a@bench.dev', '["b@bench.dev"]', 'Hello', 'sent', ${dueAt}
      from unnest(${Array.from({ length: count }, () => newId(systemClock))}::uuid[]) id
      returning id)
    insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at)
    select ${team}, id, 0, 'b@bench.dev', ${dueAt}::timestamptz, ${dueAt}::timestamptz + interval '3 days' from made`)

function row(
  goal: number,
  { fromBegin, fromCursor, first }: Record<'fromBegin' | 'fromCursor' | 'first', number>,
): Row {
  return {
    what: `a claim after ${goal.toLocaleString('en')} emails during a backup, p50`,
    ours: `${fromCursor.toFixed(2)} ms (${fromBegin.toFixed(2)} ms from the beginning)`,
    baseline: `${first.toFixed(2)} ms (at its start)`,
    figure: fromCursor / first,
    unit: '×',
    wanted: 'at most',
    must: 2,
    dream: 1.2,
  }
}
