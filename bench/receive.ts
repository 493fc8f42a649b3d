import { sql } from '../src/kernel/db/sql.ts'
import { joinDatabase, temporaryDataDir } from './database.ts'
import { WIRE_BYTES } from './email.ts'
import { missingForPostfix, sourceRate, startPostfix } from './postfix.ts'
import { calm, cpuMicroseconds, familyCpuMicroseconds } from './processes.ts'
import { note, progress } from './progress.ts'
import { printReport, rate } from './report.ts'
import { freePort, startService } from './service.ts'

const MESSAGES = 4_000
const ROUNDS = 3

/** The row of the table of figures that is about receiving: messages taken in durably, against Postfix taking them into its queue. */
export async function receive({ isForMachines }: { isForMachines: boolean }) {
  const missing = missingForPostfix()
  if (missing) return note(`receiving cannot be measured: ${missing}`)
  const smtpPort = await freePort()
  const dataDir = temporaryDataDir()
  const service = await startService(dataDir, 'postwren serve', {
    POSTWREN_SMTP_PORT: String(smtpPort),
    // Taking in and nothing else, as the other side does: what was taken is read by the jobs.
    POSTWREN_ROLES: 'api,smtp',
  })
  const database = await joinDatabase(dataDir)
  const postfix = await startPostfix(null, { isSigned: false })
  await sourceRate(smtpPort, 500, WIRE_BYTES) // warm
  const ours: number[] = []
  const baseline: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    progress(`receiving, round ${round + 1} of ${ROUNDS}`)
    await calm()
    const before = [cpuMicroseconds(service.pid), familyCpuMicroseconds(database.pid)]
    ours.push(await sourceRate(smtpPort, MESSAGES, WIRE_BYTES))
    const after = [cpuMicroseconds(service.pid), familyCpuMicroseconds(database.pid)]
    const [own, postgres] = after.map((value, index) => ((value - before[index]!) / 1_000 / MESSAGES).toFixed(2))
    if (round === ROUNDS - 1)
      note(`CPU for each message while it is taken: service ${own} ms, PostgreSQL ${postgres} ms`)
    await calm()
    baseline.push(await postfix.rate(MESSAGES, WIRE_BYTES))
  }
  const [{ listed }] = (await database.db.query<{ listed: number }>(sql`
    select count(*)::int as listed from received_emails`)) as [{ listed: number }]
  const sent = 500 + ROUNDS * MESSAGES
  if (listed !== sent) throw new Error(`${sent} messages were taken, and ${listed} are there`)
  await postfix.stop()
  await service.stop()
  await database.leave()
  const [best, bestBaseline] = [Math.max(...ours), Math.max(...baseline)]
  printReport(
    [
      {
        what: 'received durably',
        ours: rate(best, 'messages/s'),
        baseline: `${rate(bestBaseline, 'messages/s')} (Postfix into its queue)`,
        figure: best / bestBaseline,
        unit: '×',
        wanted: 'at least',
        must: 0.7,
        dream: 1.5,
      },
    ],
    isForMachines,
  )
}
