import { parseArgs } from 'node:util'
import { cleanUp } from '../../bench/cleanup.ts'
import { tryAdapters } from './adapters.ts'
import { tryCli } from './cli/run.ts'
import { tryMcp } from './mcp/run.ts'
import { installClients } from './packages.ts'
import type { Score } from './score.ts'
import { trySdks } from './sdk/versions.ts'
import { print } from './table.ts'
import { startWorld, type World } from './world.ts'

const CLIENTS: Record<string, { summary: string; run(world: World): Promise<Score[]> }> = {
  sdk: { summary: 'The SDK for Node, this version and older ones', run: trySdks },
  cli: { summary: 'The CLI, every command', run: tryCli },
  mcp: { summary: 'The MCP server, every tool', run: tryMcp },
  adapters: { summary: 'What others have built on the API or on SMTP', run: tryAdapters },
}

const HELP = `npm run clients -- [NAME…]

Clients of others against a fresh Postwren on this machine. All of them unless some are named:

${Object.entries(CLIENTS)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join('\n')}`

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h', default: false } },
  })
  const names = positionals.length > 0 ? positionals : Object.keys(CLIENTS)
  if (values.help || !names.every((name) => name in CLIENTS)) return console.log(HELP)
  installClients()
  const world = await startWorld()
  const scores: Score[] = []
  for (const name of names) {
    console.error(`${CLIENTS[name]!.summary} …`)
    scores.push(...(await CLIENTS[name]!.run(world)))
  }
  if (!print(scores)) process.exitCode = 1
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => cleanUp().finally(() => process.exit(130)))
try {
  await main()
} finally {
  await cleanUp()
}
