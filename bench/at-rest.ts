import { setTimeout as delay } from 'node:timers/promises'
import { calm, watchingMemory } from './processes.ts'
import { note, progress } from './progress.ts'
import { mebibytes, type Row, seconds } from './report.ts'
import { startService } from './service.ts'

const STARTS = 5
const IDLE_MS = 5_000

/** The most that it has within a while after a start: some systems take pages away from those who sleep. */
export async function idleMemory(dataDir: string): Promise<Row> {
  const service = await startService(dataDir, 'postwren serve')
  progress('idle memory')
  const { peakMiB } = await watchingMemory(service.pid, () => delay(IDLE_MS))
  await service.stop()
  return {
    what: 'memory when idle, without PostgreSQL',
    ours: mebibytes(peakMiB),
    baseline: null,
    figure: peakMiB,
    unit: 'MiB',
    wanted: 'at most',
    must: 150,
    dream: 100,
  }
}

/** PostgreSQL is started each time as well: the one before has stopped its own. */
export async function warmStart(dataDir: string): Promise<Row> {
  const taken: number[] = []
  for (let start = 1; start <= STARTS; start++) {
    progress(`warm start: ${start} of ${STARTS}`)
    await calm()
    const service = await startService(dataDir, 'npm start')
    await service.stop()
    taken.push(service.startMs)
  }
  note(`warm starts: ${taken.map(seconds).join(', ')}`)
  return {
    what: 'warm `npm start` to /health',
    ours: seconds(Math.min(...taken)),
    baseline: null,
    figure: Math.min(...taken) / 1_000,
    unit: 's',
    wanted: 'at most',
    must: 2,
    dream: 1,
  }
}
