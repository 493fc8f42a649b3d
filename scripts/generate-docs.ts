import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import packageJson from '../package.json' with { type: 'json' }
import { startEmbeddedPostgres } from '../src/adapters/postgres/embedded.ts'
import { ENDPOINTS, PRODUCT } from '../src/features/index.ts'
import { migrate } from '../src/kernel/db/migrate.ts'
import { openApiDocument } from '../src/kernel/http/openapi.ts'
import { EVENT_TYPES } from '../src/kernel/outbox/record.ts'
import { systemClock } from '../src/platform/clock.ts'
import { SETTINGS, settingName } from '../src/platform/settings/config.ts'
import { exportFormatPage } from './export-format.ts'
import { dumpSchema } from './schema-dump.ts'

// The documents that are made from the code. `npm run docs` writes them; with --check it fails when one of them is stale.

const DOCUMENTS: Record<string, () => Promise<string> | string> = {
  'docs/openapi.json': () => `${JSON.stringify(openApiDocument(ENDPOINTS, packageJson.version), null, 2)}\n`,
  'docs/configuration.md': configurationPage,
  'docs/schema.sql': () => onFreshDatabase(dumpSchema),
  'docs/export-format.md': () =>
    onFreshDatabase((client) => exportFormatPage(async (text) => (await client.query(text)).rows)),
  'dashboard/src/endpoints.ts': routesForTheDashboard,
  'dashboard/src/features/audit-events/summaries.ts': summariesForTheDashboard,
}

/** Where each endpoint is, for a browser that knows it by its id. Its types it takes from the endpoints themselves. */
function routesForTheDashboard(): string {
  return [
    '// Written from the endpoints in `src/features` by `npm run docs`.',
    'export const ROUTES = {',
    ...ENDPOINTS.map(({ id, method, path }) => `  '${id}': '${method} ${path}',`),
    '} as const',
    '',
    '/** What each gives access to: the page offers what whoever is signed in may do. */',
    'export const ACCESS = {',
    ...ENDPOINTS.map(({ id, access }) => `  '${id}': '${access}',`),
    '} as const',
    '',
    '/** Whose answers are stale after an event of this type: endpoints, or how their ids begin. */',
    'export const AFFECTED = {',
    ...EVENT_TYPES.flatMap((type) => entryOf(type, affectedBy(type))),
    '} as const',
    '',
  ].join('\n')
}

const affectedBy = (type: string) =>
  PRODUCT.liveUpdates.flatMap(({ events, endpoints }) => (events.test(type) ? endpoints : []))

/** As the formatter has it. */
function entryOf(key: string, values: readonly string[]): readonly string[] {
  const line = `  '${key}': [${values.map((value) => `'${value}'`).join(', ')}],`
  return line.length <= 120 ? [line] : [`  '${key}': [`, ...values.map((value) => `    '${value}',`), '  ],']
}

/** In words what the audit log tells of. */
function summariesForTheDashboard(): string {
  return [
    '// Written from the endpoints in `src/features` by `npm run docs`.',
    'export const SUMMARIES: Readonly<Record<string, string>> = {',
    ...ENDPOINTS.filter(({ isAudited }) => isAudited).map(({ id, summary }) => `  '${id}': '${summary}',`),
    '}',
    '',
  ].join('\n')
}

function configurationPage(): string {
  const rows = Object.entries(SETTINGS).map(
    ([name, { default: fallback, description }]) =>
      `| \`${settingName(name)}\` | ${fallback === undefined ? 'unset' : `\`${fallback}\``} | ${description} |`,
  )
  return [
    '# Configuration',
    '',
    'Settings are environment variables. A file `.env` in the folder where Postwren starts is read too; the environment wins.',
    'A wrong value stops the start with one line that names the setting. `postwren doctor` checks them all.',
    '',
    '| name | default | meaning |',
    '|---|---|---|',
    ...rows,
    '',
    'This page is generated from `src/platform/settings/config.ts` by `npm run docs`.',
    '',
  ].join('\n')
}

async function onFreshDatabase(read: (client: pg.Client) => Promise<string>): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postwren-docs-'))
  const server = await startEmbeddedPostgres({ dataDir, log: { info() {}, warn() {} }, settings: { fsync: 'off' } })
  try {
    await migrate(server.connection, systemClock)
    const client = new pg.Client(server.connection)
    await client.connect()
    const page = await read(client)
    await client.end()
    return page
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const isCheck = process.argv.includes('--check')
for (const [file, make] of Object.entries(DOCUMENTS)) {
  const fresh = await make()
  if (!isCheck) {
    writeFileSync(file, fresh)
    console.log(`wrote ${file}`)
  } else if (read(file) !== fresh) {
    console.error(`${file} is stale: run \`npm run docs\` and commit it.`)
    process.exitCode = 1
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
