import { type JoinedDatabase, joinDatabase, temporaryDataDir } from '../database.ts'
import { type Service, startService } from '../service.ts'
import type { Checkout } from './revision.ts'

/** One of the two builds, at work on a database of its own. */
export interface Contender {
  readonly name: string
  readonly service: Service
  readonly database: JoinedDatabase
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
  const stop = async () => {
    await service.stop()
    await database.leave()
  }
  return { name, service, database, stop }
}
