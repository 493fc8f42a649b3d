import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { contactRows } from '../src/features/contacts/queries.ts'
import { Database } from '../src/kernel/db/database.ts'
import { raw, type Sql, sql } from '../src/kernel/db/sql.ts'
import { MAX_LIMIT } from '../src/kernel/http/page.ts'
import { systemClock } from '../src/platform/clock.ts'
import { atEnd } from './cleanup.ts'

/** How the driver is used: as the service does, with a few pipelined connections, or with a pool as its manual says. */
export type Manner = 'lanes' | 'pool'

interface Task {
  readonly connection: pg.ClientConfig
  readonly manner: Manner
  readonly team: string
  readonly limit: number
  readonly callers: number
  readonly seconds: number
}

/** A process that asks the database for pages and does nothing with them: the statement of the list, and no HTTP. */
export function startDriver() {
  const child = fork(process.argv[1]!, ['driver'], { detached: true })
  const stop = atEnd(() => end(child))
  return {
    pid: child.pid!,
    /** Pages a second. */
    async pageRate(task: Task): Promise<number> {
      child.send(task)
      const [rate] = (await once(child, 'message')) as [number]
      return rate
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
  let ways: Record<Manner, Ask> | null = null
  process.on('message', async ({ connection, manner, team, limit, ...load }: Task) => {
    ways ??= connect(connection, pageStatement(team, limit))
    process.send!(await rateOf(ways[manner], load))
  })
  process.on('disconnect', () => process.exit(0))
}

type Ask = () => Promise<unknown>

/**
 * The statement of a page as it was when these figures began: PostgreSQL wrote the JSON, and the service passed it on. What makes ours faster must
 * not make this one faster as well.
 */
function pageStatement(team: string, limit: number): Sql {
  const { columns, from, where, id } = contactRows(team)
  return sql`
    select array_to_string(array(
      select row_to_json(row)
      from (select ${columns} from ${from} where ${where} order by ${id} desc limit ${raw(String(MAX_LIMIT + 1))}) row
      limit ${limit + 1}
    ), ${'\x1e'}) as items`
}

function connect(connection: pg.ClientConfig, statement: Sql): Record<Manner, Ask> {
  const db = Database.connect(connection, { clock: systemClock })
  const pool = new pg.Pool(connection) // of ten, the driver's default: the best of 3, 10 and 32
  const query = statement.toQuery()
  return { lanes: () => db.query(statement), pool: () => pool.query(query) }
}

async function rateOf(ask: Ask, { callers, seconds }: { callers: number; seconds: number }): Promise<number> {
  const begin = performance.now()
  const deadline = begin + seconds * 1_000
  let answers = 0
  const call = async () => {
    while (performance.now() < deadline) {
      await ask()
      answers++
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  return answers / ((performance.now() - begin) / 1_000)
}
