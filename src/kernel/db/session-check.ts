import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { DatabaseAway, isLost } from '../../platform/database-errors.ts'
import { Connector, destroy, leave } from './connector.ts'
import { LIMITS } from './limits.ts'

const MARK = 'postwren.session'
const SHOW = `select current_setting('${MARK}', true) as mark`
/** A pooler that goes round its servers gives another one with nearly each transaction. */
const ROUNDS = 3

/** Between us and PostgreSQL is something that lends a session for one transaction only. */
export class NoSession extends Error {
  constructor() {
    super(
      'it is behind a pooler that shares sessions between transactions, which Postwren cannot use: connect directly, or through a pooler in session mode.',
    )
  }
}

/**
 * Refuses a pooler in transaction mode: the migration lock, wake-ups and settings belong to a session, and there each transaction may
 * get another one. Two connections with one server between them show it at once. Otherwise a mark is left on one, and a second one keeps
 * a transaction open: on the same server, where it sees the mark, or else on one that the first would have got next. Only a mark in the
 * wrong place is a proof; silence says that the database is slow, and is `DatabaseAway`.
 */
export async function requireSession(config: pg.ClientConfig): Promise<void> {
  const connector = new Connector(config, LIMITS)
  const { client: first, backend } = await connector.connect()
  try {
    const { client: second, backend: other } = await connector.connect()
    try {
      if (backend === other) throw new NoSession()
      for (let round = 0; round < ROUNDS; round++) if (!(await keepApart(first, second))) throw new NoSession()
    } finally {
      await leave(second, LIMITS.connectMs)
    }
  } finally {
    await leave(first, LIMITS.connectMs)
  }
}

/** Whether each of them keeps its own session. */
async function keepApart(first: pg.Client, second: pg.Client): Promise<boolean> {
  const mark = randomUUID()
  const isMarked = async (client: pg.Client) => (await ask(client, SHOW)).rows[0].mark === mark
  await ask(first, 'select set_config($1, $2, false)', [MARK, mark])
  await ask(second, 'begin')
  if (await isMarked(second)) return false
  const isKept = await isMarked(first)
  await ask(second, 'rollback')
  return isKept
}

async function ask(client: pg.Client, text: string, values: unknown[] = []) {
  const silence = setTimeout(
    () => destroy(client, new DatabaseAway(`no answer within ${LIMITS.connectMs / 1_000} s`)),
    LIMITS.connectMs,
  )
  try {
    return await client.query(text, values)
  } catch (error) {
    throw isLost(error) ? new DatabaseAway((error as Error).message, { cause: error }) : error
  } finally {
    clearTimeout(silence)
  }
}
