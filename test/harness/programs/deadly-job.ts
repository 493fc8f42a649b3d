import { Database } from '../../../src/kernel/db/database.ts'
import { job } from '../../../src/kernel/jobs/job.ts'
import { Worker } from '../../../src/kernel/jobs/worker.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { createLog } from '../../../src/platform/observability/log.ts'

// A process with a worker, for tests: its job ends the process as nothing else can. Lines of its log go to standard output.

const deadly = job({
  name: 'deadly',
  retryAfterSeconds: [],
  maxCrashes: 2,
  async run() {
    process.stdout.write('running\n')
    process.kill(process.pid, 'SIGKILL')
    await new Promise(() => {})
  },
})

const db = Database.connect(JSON.parse(process.argv[2]!), { clock: systemClock })
const log = createLog({ level: 'warn', isTerminal: false, destination: process.stdout })
const worker = new Worker([deadly], { db, log, clock: systemClock })
await worker.start()
process.on('SIGTERM', async () => {
  await worker.stop(1_000)
  await db.close()
})
