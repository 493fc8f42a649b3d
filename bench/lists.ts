import { sql } from '../src/kernel/db/sql.ts'
import { idleMemory, warmStart } from './at-rest.ts'
import { type JoinedDatabase, joinDatabase, temporaryDataDir } from './database.ts'
import { importContacts } from './import.ts'
import { depth, LIMIT, pages } from './pages.ts'
import { residentMiB, watchingMemory } from './processes.ts'
import { note, progress } from './progress.ts'
import { mebibytes, printReport, type Row, rate, seconds } from './report.ts'
import { type Service, startService } from './service.ts'
import { wholeList } from './whole-list.ts'

/** The rows of the table of figures that are about lists, and what the service costs when nobody asks for anything. */
export async function lists({ contacts, isForMachines }: { contacts: number; isForMachines: boolean }) {
  const dataDir = temporaryDataDir()
  let service = await startService(dataDir, 'postwren serve')
  note(`first start: ${seconds(service.startMs)} (with what was stale of the build)`)
  await load(service, contacts)
  const database = await joinDatabase(dataDir)
  const { team, deepId } = await settle(database)

  const rows: Row[] = []
  rows.push(...(await pages(service, database, team)))
  rows.push(await depth(service, deepId, contacts))
  note(`memory of the service after all this: ${mebibytes(residentMiB(service.pid))}`)
  // A new process, because what the old one took for the load above would hide what the list takes.
  await service.stop()
  service = await startService(dataDir, 'postwren serve')
  rows.push(...(await wholeList(service, database, { team, contacts })))
  await service.stop()
  await database.leave()

  rows.push(await idleMemory(dataDir))
  rows.push(await warmStart(dataDir))
  printReport(rows, isForMachines)
}

async function load(service: Service, contacts: number) {
  const { result, growthMiB } = await watchingMemory(service.pid, () => importContacts(service.url, contacts))
  const { uploadedMs, tookMs } = result
  note(
    `import: ${contacts.toLocaleString('en')} contacts in ${seconds(tookMs)} (upload ${seconds(uploadedMs)}), ` +
      `${rate(contacts / (tookMs / 1_000), 'contacts/s')}; the service grew by ${mebibytes(growthMiB)} meanwhile`,
  )
}

/** What PostgreSQL would do by itself within minutes of such an import, done now so that it does not happen in a round. */
async function settle({ db }: JoinedDatabase) {
  progress('settling: vacuum, analyze, checkpoint')
  await db.queryPooled(sql`vacuum analyze contacts`)
  await db.queryPooled(sql`checkpoint`)
  const [oldest] = await db.query<{ team: string; deepId: string }>(
    sql`select team_id as team, id as "deepId" from contacts order by team_id, id limit 1 offset ${LIMIT + 1}`,
  )
  return oldest!
}
