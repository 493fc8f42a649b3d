import { FileBlobStore } from '../../../src/adapters/blobs/file-blob-store.ts'
import { dropOldPeriods } from '../../../src/features/retention/jobs.ts'
import type { Services } from '../../../src/features/services.ts'
import { Database } from '../../../src/kernel/db/database.ts'
import { createLog } from '../../../src/platform/observability/log.ts'
import { loadConfig } from '../../../src/platform/settings/config.ts'
import { fixedClock } from '../clock.ts'

// A process that archives old periods and drops them, and stops for ever before one of its writes, or behind it: whoever started it kills it there.

const { connection, now, folder, settings, stop } = JSON.parse(process.argv[2]!)
const db = Database.connect(connection, { clock: fixedClock(new Date(now)) })
let puts = 0

class StoppingBlobStore extends FileBlobStore {
  override async put(key: string, content: Buffer) {
    const isLast = ++puts === stop.put
    if (!isLast || stop.isBehind) await super.put(key, content)
    if (!isLast) return
    process.stdout.write(`stopped at ${key}\n`)
    setInterval(() => {}, 1_000)
    await new Promise(() => {})
  }
}

await dropOldPeriods.run({}, {
  ...{ db, config: loadConfig(settings), blobs: new StoppingBlobStore(folder) },
  ...{ log: createLog({ level: 'silent', isTerminal: false }), signal: new AbortController().signal },
} as unknown as Services & { signal: AbortSignal })
process.stdout.write('done\n')
process.exit(0)
