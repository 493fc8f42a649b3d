import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Cluster } from './cluster.ts'
import type { Member } from './member.ts'

const EVERY_MS = 200
const PATIENCE_MS = 5_000

/** A write that a server has acknowledged. */
interface Write {
  readonly member: string
  readonly number: number
  readonly timeline: number
  readonly sentAt: number
  readonly heardAt: number
}

/**
 * Writes to each server by itself, all the time, as somebody would who was led to the wrong one. Two servers may believe for a moment that they are
 * the primary; what counts is that no former one acknowledges anything.
 */
export async function startWrites(cluster: Cluster) {
  const setUp = await connected(cluster.urlOf(await cluster.primary()))
  await setUp.query('create table failover_writes (member text, number int, primary key (member, number))')
  await setUp.end()
  const writes: Write[] = []
  let isStopping = false
  const work = cluster.members.map(async (member) => {
    for (let number = 0; !isStopping; number++) {
      const write = await writeOnce(cluster, member, number)
      if (write) writes.push(write)
      await delay(EVERY_MS)
    }
  })
  return {
    /** Writes that a server acknowledged although another one had acknowledged some on a later timeline before they were sent. */
    ofFormerPrimaries: () =>
      writes.filter((one) => writes.some((other) => other.timeline > one.timeline && other.heardAt < one.sentAt)),
    /** Acknowledged, and not there. */
    async lost(): Promise<string[]> {
      const client = await connected(cluster.urlOf(await cluster.primary()))
      const { rows } = await client.query<{ name: string }>(
        `select member || ' ' || number as name from failover_writes`,
      )
      await client.end()
      const kept = new Set(rows.map(({ name }) => name))
      return writes.map(({ member, number }) => `${member} ${number}`).filter((name) => !kept.has(name))
    },
    get acknowledged() {
      return writes.length
    },
    async stop() {
      isStopping = true
      await Promise.all(work)
    },
  }
}

async function writeOnce(cluster: Cluster, member: Member, number: number): Promise<Write | null> {
  const sentAt = performance.now()
  let client: pg.Client | null = null
  const silence = setTimeout(() => client?.connection.stream.destroy(), PATIENCE_MS)
  try {
    client = makeClient(cluster.urlOf(member))
    await client.connect()
    const { rows } = await client.query<{ timeline: number }>(
      `insert into failover_writes values ($1, $2)
      returning ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int as timeline`,
      [member.name, number],
    )
    return { member: member.name, number, timeline: rows[0]!.timeline, sentAt, heardAt: performance.now() }
  } catch {
    return null
  } finally {
    clearTimeout(silence)
    client?.end().catch(() => {})
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = makeClient(url)
  await client.connect()
  return client
}

function makeClient(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE_MS })
  client.on('error', () => {})
  return client
}
