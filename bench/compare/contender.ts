import { type JoinedDatabase, joinDatabase, temporaryDataDir } from '../database.ts'
import { AUTHORIZATION, type Service, startService } from '../service.ts'
import type { Checkout } from './revision.ts'

/** One of the two builds, at work on a database of its own. */
export interface Contender {
  readonly name: string
  readonly service: Service
  /** Further processes of the same build on the same database. */
  readonly peers: Service[]
  readonly database: JoinedDatabase
  startPeer(settings: Record<string, string>): Promise<void>
  stop(): Promise<void>
}

let started = 0

export async function startContender(
  { folder, name }: Checkout,
  settings: Record<string, string>,
  { nodeFlags = [], beforeStart }: { nodeFlags?: readonly string[]; beforeStart?(dataDir: string): void } = {},
): Promise<Contender> {
  const dataDir = temporaryDataDir(`-${++started}`)
  if (beforeStart) {
    const first = await startService(dataDir, 'postwren serve', settings, { checkout: folder })
    await first.stop()
    beforeStart(dataDir)
  }
  const service = await startService(dataDir, 'postwren serve', settings, { checkout: folder, nodeFlags })
  const database = await joinDatabase(dataDir)
  const peers: Service[] = []
  const startPeer = async (settings: Record<string, string>) => {
    peers.push(await startService(dataDir, 'postwren serve', settings, { checkout: folder }))
  }
  const stop = async () => {
    for (const one of [...peers, service]) await one.stop()
    await database.leave()
  }
  return { name, service, peers, database, startPeer, stop }
}

/** Asks a contender's API. */
export async function call<Body>({ service }: Contender, method: string, path: string, body?: object): Promise<Body> {
  const headers = { ...AUTHORIZATION, 'content-type': 'application/json' }
  const reply = await fetch(`${service.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!reply.ok) throw new Error(`${reply.status} from ${path}: ${await reply.text()}`)
  return (await reply.json()) as Body
}
