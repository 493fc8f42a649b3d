import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import packageJson from '../package.json' with { type: 'json' }
import { startEmbeddedPostgres } from '../src/adapters/postgres/embedded.ts'
import { ENDPOINTS, PRODUCT } from '../src/features/index.ts'
import { migrate } from '../src/kernel/db/migrate.ts'
import { openApiDocument } from '../src/kernel/http/openapi.ts'
import { systemClock } from '../src/platform/clock.ts'
import { SETTINGS, settingName } from '../src/platform/settings/config.ts'
import { SUBJECTS } from '../src/platform/settings/subjects.ts'
import { attemptsPage } from './attempts-page.ts'
import { exportFormatPage } from './export-format.ts'
import { plainManifests } from './render-chart.ts'
import { dumpSchema } from './schema-dump.ts'

// The documents that are made from the code. `npm run docs` writes them; with --check it fails when one of them is stale.

const DOCUMENTS: Record<string, () => Promise<string> | string> = {
  'docs/openapi.json': () => `${JSON.stringify(openApiDocument(ENDPOINTS, packageJson.version), null, 2)}\n`,
  'docs/configuration.md': configurationPage,
  'docs/operations/attempts.md': attemptsPage,
  'docs/schema.sql': () => onFreshDatabase(dumpSchema),
  'docs/export-format.md': () =>
    onFreshDatabase((client) => exportFormatPage(async (text) => (await client.query(text)).rows)),
  'deploy/kubernetes/base/postwren.yaml': plainManifests,
  'dashboard/src/endpoints.ts': routesForTheDashboard,
  'dashboard/src/features/audit-events/summaries.ts': summariesForTheDashboard,
}

/** Where each endpoint is and what it gives access to, for a browser that knows it by its id. Its types it takes from the endpoints themselves. */
function routesForTheDashboard(): string {
  return [
    '// Written from the endpoints in `src/features` by `npm run docs`.',
    '/** Where each is, and what it gives access to: the page offers what whoever is signed in may do. */',
    'export const ENDPOINTS = {',
    ...ENDPOINTS.flatMap(({ id, method, path, access }) =>
      entryOf(`'${id}': `, { route: `'${method} ${path}'`, access: `'${access}'` }),
    ),
    '} as const',
    '',
    '/** Whose answers are stale after events: endpoints, or how their ids begin. */',
    'export const LIVE_UPDATES = [',
    ...PRODUCT.liveUpdates.flatMap(({ events, endpoints }) =>
      entryOf('', { events: String(events), endpoints: `[${endpoints.map((id) => `'${id}'`).join(', ')}]` }),
    ),
    '] as const',
    '',
  ].join('\n')
}

/** As the formatter has it. */
function entryOf(key: string, values: Readonly<Record<string, string>>): readonly string[] {
  const fields = Object.entries(values).map(([name, value]) => `${name}: ${value}`)
  const line = `  ${key}{ ${fields.join(', ')} },`
  return line.length <= 120 ? [line] : [`  ${key}{`, ...fields.map((field) => `    ${field},`), '  },']
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
  return [
    '# Configuration',
    '',
    'Settings are environment variables. They can also be lines `NAME=value` of a file, named by `--config FILE` with any command or by',
    '`POSTWREN_CONFIG`, and of a file `.env` in the folder where Postwren starts. The environment wins, then the named file, then `.env`.',
    'A value that is set but empty counts as unset.',
    '',
    'A wrong value, or a name that begins with `POSTWREN_` and is no setting, ends each command with one line that says so.',
    '`postwren config show` lists every setting with its value and where it comes from; `postwren doctor` checks what they name.',
    '',
    `Settings marked 🔒 are secrets: never shown, and also read from a file, whose path is in \`POSTWREN_<NAME>_FILE\` (at most 64 kB; space around the`,
    'value is ignored). That is how secrets of Docker, Kubernetes and systemd arrive; in a unit with `LoadCredential=secret-key:…` it is the line',
    '`Environment=POSTWREN_SECRET_KEY_FILE=%d/secret-key`. Setting both the name and its file is an error.',
    '',
    'Kubernetes sets variables like `POSTWREN_PORT=tcp://…` for a Service called `postwren`: use `enableServiceLinks: false` in its pods.',
    '',
    ...Object.entries(SUBJECTS).flatMap(([subject, names]) => [
      `## ${subject}`,
      '',
      '| name | default | meaning |',
      '|---|---|---|',
      ...names.map(settingRow),
      '',
    ]),
    'This page is generated from `src/platform/settings/config.ts` by `npm run docs`.',
    '',
  ].join('\n')
}

function settingRow(name: keyof typeof SETTINGS): string {
  const { default: fallback, description, isSecret } = SETTINGS[name]
  const value = fallback === undefined ? 'unset' : `\`${fallback}\``
  return `| \`${settingName(name)}\`${isSecret ? ' 🔒' : ''} | ${value} | ${linked(description)} |`
}

/** Pages are named by their place in the repository, for whoever reads the source. */
const linked = (text: string) => text.replace(/\bdocs\/([\w/-]+\.md)/g, '[$1]($1)')

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
