import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { expect, inject } from 'vitest'
import { Database } from '../../src/kernel/db/database.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { databaseOn } from './global-setup.ts'

let latest: { file: string; name: string; copy: Promise<pg.ClientConfig> } | null = null
let made = 0

/**
 * A migrated database that this test file has for itself. Tests in it keep apart by using teams of their own. Files of one worker
 * share this module, so the path tells when the next one has begun: what the last one left in the queues is not its business.
 */
export function freshDatabase(): Promise<pg.ClientConfig> {
  const file = expect.getState().testPath ?? ''
  if (latest?.file !== file) {
    const name = `${inject('postgres').template}_${process.pid}_${++made}`
    latest = { file, name, copy: makeCopy(name, latest?.name) }
  }
  return latest.copy
}

/** In place of the one before it, which nobody needs any more: a hundred of them would fill a gigabyte. */
async function makeCopy(name: string, previous: string | undefined): Promise<pg.ClientConfig> {
  const last = idle
  idle = null
  await last?.close()
  const { connection, copy } = inject('postgres')
  admin ??= connectAdmin(connection)
  const client = await admin
  if (previous) await client.query(`drop database if exists ${previous} with (force)`)
  await client.query(`create database ${name} ${copy}`)
  return databaseOn(connection, name)
}

/** One for all files of this worker. */
let admin: Promise<pg.Client> | null = null

async function connectAdmin(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection)
  client.on('error', () => {
    admin = null
  })
  await client.connect()
  return client
}

/**
 * How long a statement, a connection or a heartbeat takes is the machine's matter, while the clock of an app stands still: mail of a node that has
 * lost its lease for a moment would be postponed to a moment that never comes. What these limits are for has tests of its own.
 */
export const PATIENT = {
  presence: { lateMs: 60_000, answerMs: 30_000, leaseMs: 60_000, goneMs: 90_000, stalledMs: 90_000 },
  limits: { connectMs: 30_000, poolMs: 45_000, quickMs: 45_000 },
} as const

/** The connections that the last test of this file has left, as good as new. */
let idle: Database | null = null

/**
 * Connections to the file's database, and a node of their own. Tests hand them on to each other: opening them, and reading the
 * catalogue again on each, took half of the CPU time of an app. Those who run beside each other have their own.
 */
export async function takeDatabase(clock: Clock): Promise<Database> {
  const config = await freshDatabase()
  const db = idle ? idle.withClock(clock) : Database.connect(config, { clock, ...PATIENT })
  idle = null
  await db.presence.start()
  return db
}

/** Ends a test's use of them. Who has left something open, or lost its row in `nodes`, hands nothing on. */
export async function giveBack(db: Database) {
  await requireClosed(db)
  const isUsable = !idle && db.presence.listenerCount('gone') === 0 && (await isNode(db))
  if (isUsable) idle = db
  else await db.close()
}

/** What is under way by itself ends, on a busy machine after seconds. What a test has left open does not end. */
const ENDS_WITHIN_MS = 30_000

/** What a test has begun on its connections must have ended when the test has. */
export async function requireClosed(db: Database) {
  const isOpen = () => db.load.pooled !== db.load.idle
  for (const until = performance.now() + ENDS_WITHIN_MS; isOpen() && performance.now() < until; ) await wait(10)
  if (!isOpen()) return
  await db.close()
  throw new Error('The test left a transaction or a statement open.')
}

/** Whether others still see it, so that it may work: what claims does nothing without a proof of that. */
export async function isNode(db: Database): Promise<boolean> {
  try {
    const [row] = await db.query(sql`select from nodes where id = ${db.presence.node}`)
    return row !== undefined && db.presence.mayWork
  } catch {
    return false
  }
}
