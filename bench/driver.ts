import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type pg from 'pg'
import { pageStatement } from '../src/http/list.ts'
import { Database } from '../src/platform/db/database.ts'
import { contactRows } from '../src/resources/contacts/queries.ts'
import { atEnd } from './cleanup.ts'

interface Task {
  readonly connection: pg.ClientConfig
  readonly team: string
  readonly limit: number
  readonly callers: number
  readonly seconds: number
}

export interface DriverRound {
  readonly rate: number
  readonly cpuMicroseconds: number
}

/** A process that asks the database for pages and does nothing with them: our own statement and connections, no HTTP. */
export function startDriver() {
  const child = fork(process.argv[1]!, ['driver'], { detached: true })
  const stop = atEnd(() => end(child))
  return {
    async pageRate(task: Task): Promise<DriverRound> {
      child.send(task)
      const [round] = (await once(child, 'message')) as [DriverRound]
      return round
    },
    stop,
  }
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
}

/** The other side of it. */
export function driver() {
  let db: Database | null = null
  process.on('message', async ({ connection, ...task }: Task) => {
    db ??= new Database(connection)
    process.send!(await readPages(db, task))
  })
  process.on('disconnect', () => process.exit(0))
}

async function readPages(db: Database, { team, limit, callers, seconds }: Omit<Task, 'connection'>) {
  const statement = pageStatement(contactRows(team), { limit, cursor: null, direction: 'older' }, limit)
  const begin = performance.now()
  const deadline = begin + seconds * 1_000
  const cpu = process.cpuUsage()
  let pages = 0
  const call = async () => {
    while (performance.now() < deadline) {
      await db.query(statement)
      pages++
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  const { user, system } = process.cpuUsage(cpu)
  return { rate: pages / ((performance.now() - begin) / 1_000), cpuMicroseconds: (user + system) / pages }
}
