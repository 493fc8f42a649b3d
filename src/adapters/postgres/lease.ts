import { Socket } from 'node:net'
import pg from 'pg'
import { DATABASE, SUPERUSER } from './cluster.ts'
import { PORT } from './settings.ts'

/** Any two numbers, the same in every version: they read "post" and "wren" in ASCII. */
const LOCK = '1886352244, 2004116846'

/**
 * Being a user of the server. Every user holds a shared lock in it, on a connection of its own; the last one can get the
 * lock for itself, and then may stop the server. A user that is killed loses its connection and thereby its lock, so
 * nothing has to be cleaned up or timed out.
 */
export interface Lease {
  /** Settles when the connection is gone: the server died, or has thrown everybody out after a backend crashed. */
  readonly lost: Promise<void>
  /** Gives the shared lock back. True if nobody else has it; nobody can get it then until this connection ends. */
  becomeLast(): Promise<boolean>
  end(): Promise<void>
}

/** Locks count per database, so all meet in the one that every cluster has. */
const MEETING_PLACE = 'postgres'

export async function takeLease(socketFolder: string): Promise<Lease> {
  const socket = new Socket()
  const client = new pg.Client({
    host: socketFolder,
    port: PORT,
    user: SUPERUSER,
    database: MEETING_PLACE,
    ssl: false,
    application_name: 'postwren lease',
    connectionTimeoutMillis: 5_000,
    stream: () => socket,
  })
  client.on('error', () => {})
  const lost = new Promise<void>((resolve) => client.once('end', () => resolve()))

  try {
    await client.connect()
    // Waits while the last user stops the server, and fails when it has: the caller starts it again then.
    await client.query(`select pg_advisory_lock_shared(${LOCK})`)
    await ensureDatabase(client)
  } catch (error) {
    socket.destroy()
    throw error
  }
  socket.unref()

  return {
    lost,
    async becomeLast() {
      socket.ref()
      await client.query(`select pg_advisory_unlock_shared(${LOCK})`)
      const { rows } = await client.query<{ got: boolean }>(`select pg_try_advisory_lock(${LOCK}) as got`)
      return rows[0]!.got
    },
    end: () => client.end(),
  }
}

async function ensureDatabase(client: pg.Client) {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE])
  if (rowCount) return
  try {
    await client.query(`create database ${DATABASE}`)
  } catch (error) {
    // duplicate_database or unique_violation: another starter was faster, and has committed.
    if (!['42P04', '23505'].includes((error as pg.DatabaseError).code ?? '')) throw error
  }
}
