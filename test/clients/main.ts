import { parseArgs } from 'node:util'
import { cleanUp } from '../../bench/cleanup.ts'
import { tryAdapters } from './adapters.ts'
import { tryApps } from './apps/run.ts'
import { tryCli } from './cli/run.ts'
import { GENERATORS, lintDocument, tryGenerated } from './generated/run.ts'
import { tryMadeUpRequests } from './generated/schemathesis.ts'
import { CATALOGUE, LANGUAGES, UNTRIED } from './languages/languages.ts'
import { tryLanguage } from './languages/run.ts'
import { pageWith, pageWithClients, writePage } from './languages/table.ts'
import { tryMcp } from './mcp/run.ts'
import { installClients } from './packages.ts'
import type { Score } from './score.ts'
import { trySdks } from './sdk/versions.ts'
import { print } from './table.ts'
import { startWorld, type World } from './world.ts'

interface Client {
  readonly summary: string
  run(world: World): Promise<Score[]>
}

const CLIENTS: Record<string, Client> = {
  sdk: { summary: 'The SDK for Node, this version and older ones', run: trySdks },
  cli: { summary: 'The CLI, every command', run: tryCli },
  mcp: { summary: 'The MCP server, every tool', run: tryMcp },
  adapters: { summary: 'What others have built on the API or on SMTP', run: tryAdapters },
  apps: { summary: 'Programs that want a key, by their own mail packages', run: tryApps },
}

/** Each needs the tools of its language, so that they are tried by name only. */
const OF_LANGUAGES: Record<string, Client> = {
  ...Object.fromEntries(
    Object.entries(LANGUAGES).map(([key, { name }]) => [
      key,
      { summary: `The SDK for ${name}, every method`, run: (world: World) => tryLanguage(key, world) },
    ]),
  ),
  ...Object.fromEntries(Object.entries(UNTRIED).map(([key, language]) => [key, skipped(language)])),
}

function skipped({ name, why }: (typeof UNTRIED)[string]): Client {
  return {
    summary: `The SDK for ${name}, of which there is no trial`,
    async run() {
      console.error(`  skipped: ${why}`)
      return []
    },
  }
}

/** What others make of docs/openapi.json, by name only: linters and generators are 140 MB. */
const OF_THE_DOCUMENT: Record<string, Client> = {
  'openapi-lint': { summary: 'The common linters of OpenAPI', run: lintDocument },
  ...Object.fromEntries(
    Object.keys(GENERATORS).map((name) => [
      name,
      { summary: `A client made by ${name}`, run: (world: World) => tryGenerated(name, world) },
    ]),
  ),
  schemathesis: { summary: 'Requests made up from the document; needs Python', run: tryMadeUpRequests },
}

const ALL = { ...CLIENTS, ...OF_LANGUAGES, ...OF_THE_DOCUMENT }

const listed = (clients: Record<string, Client>) =>
  Object.entries(clients)
    .map(([name, { summary }]) => `  ${name.padEnd(18)} ${summary}`)
    .join('\n')

const HELP = `npm run clients -- [NAME…] [--write]

Clients of others against a fresh Postwren on this machine. All of these unless some are named:

${listed(CLIENTS)}

SDKs of other languages; one whose tools are missing here is skipped. \`languages\` is all of them:

${listed(OF_LANGUAGES)}

What others make of docs/openapi.json:

${listed(OF_THE_DOCUMENT)}

  --write    puts the results into docs/compatibility.md, except for those of docs/openapi.json`

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      write: { type: 'boolean', default: false },
    },
  })
  const named = positionals.flatMap((name) => (name === 'languages' ? Object.keys(OF_LANGUAGES) : [name]))
  const names = named.length > 0 ? named : Object.keys(CLIENTS)
  if (values.help) return console.log(HELP)
  const unknown = names.filter((name) => !(name in ALL))
  if (unknown.length > 0) {
    console.error(`There is no client ${unknown.join(', ')}. There are ${Object.keys(ALL).join(', ')}.`)
    process.exitCode = 1
    return
  }
  if (names.some((name) => name in CLIENTS)) installClients()
  const world = await startWorld()
  const scores = new Map<string, Score[]>()
  for (const name of names) {
    console.error(`${ALL[name]!.summary} …`)
    scores.set(name, await ALL[name]!.run(world))
  }
  if (!print([...scores.values()].flat())) process.exitCode = 1
  if (!values.write) return
  const ofThese = (clients: object) => [...scores].flatMap(([name, own]) => (name in clients ? own : []))
  if (ofThese(CLIENTS).length > 0) writePage((page) => pageWithClients(page, ofThese(CLIENTS)))
  if (ofThese(OF_LANGUAGES).length > 0) writePage((page) => pageWith(page, ofThese(OF_LANGUAGES), CATALOGUE))
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => cleanUp().finally(() => process.exit(130)))
try {
  await main()
} finally {
  await cleanUp()
}
