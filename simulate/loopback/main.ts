import { cleanUp } from '../../bench/cleanup.ts'
import { tableOf } from '../table.ts'
import { summarize } from '../virtual/summary.ts'
import { type LoopbackOptions, runLoopback } from './run.ts'

/** Runs it, and leaves nothing behind, however it ends. */
export async function loopback({ isForMachines, ...options }: LoopbackOptions & { isForMachines: boolean }) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => cleanUp().finally(() => process.exit(130)))
  try {
    const result = await runLoopback(options)
    options.onProgress?.('', 1)
    const summary = summarize(result)
    if (isForMachines)
      return console.log(JSON.stringify({ seed: options.seed, ...summary, sites: result.sites }, null, 2))
    for (const line of tableOf([summary])) console.log(line)
    console.log(`\nSites: ${options.world.sites.length}. Emails: ${options.emails}. Seed: ${options.seed}.`)
  } finally {
    await cleanUp()
  }
}
