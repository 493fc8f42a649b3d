import { progress } from '../bench/progress.ts'
import { HELP, type Options, parseOptions } from './options.ts'
import type { World } from './sites/site-policy.ts'
import { tableOf } from './table.ts'
import { UsageError } from './usage-error.ts'
import { runVirtual } from './virtual/run.ts'
import { summarize } from './virtual/summary.ts'
import { generateWorld } from './world/generate.ts'
import { readWorld } from './world/world-file.ts'

const BAR_WIDTH = 30

async function main() {
  const options = parseOptions(process.argv.slice(2))
  if (!options) return console.log(HELP)
  const world = worldOf(options)
  if (options.command === 'world') return console.log(JSON.stringify(world, null, 2))
  if (options.command === 'loopback') {
    const { loopback } = await import('./loopback/main.ts')
    return loopback({ ...options, world, onProgress: show })
  }
  virtual(options, world)
}

function worldOf({ worldFile, seed, sites, hours }: Options): World {
  const world = worldFile ? readWorld(worldFile) : generateWorld({ seed, sites, ...(hours && { windowHours: hours }) })
  return hours ? { ...world, window_hours: hours } : world
}

function virtual({ strategies, days, seed, isForMachines }: Options, world: World) {
  const results = strategies.map((strategy, index) => {
    const onDay = (day: number) =>
      show(`${strategy.name}, day ${day} of ${days}`, (index + day / days) / strategies.length)
    onDay(0)
    return runVirtual({ world, strategy, days, seed, onDay })
  })
  show('', 1)
  const summaries = results.map(summarize)
  if (isForMachines) {
    const strategyOf = summaries.map((summary, index) => ({ ...summary, sites: results[index]!.sites }))
    return console.log(JSON.stringify({ seed, days, strategies: strategyOf }, null, 2))
  }
  for (const line of tableOf(summaries)) console.log(line)
  console.log(`\nSites: ${world.sites.length}. Days: ${days}. Seed: ${seed}.`)
  for (const { name, about } of strategies) console.log(`${name}: ${about}`)
}

/** On a terminal only: nobody watches a file. Without a text the line is cleared. */
function show(text: string, part: number) {
  if (!process.stderr.isTTY) return
  if (text === '') return progress('')
  const filled = Math.round(part * BAR_WIDTH)
  progress(`[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${Math.round(part * 100)} %  ${text}`)
}

try {
  await main()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
