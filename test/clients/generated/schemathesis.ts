import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { missingTool } from '../languages/toolchain.ts'
import { Score } from '../score.ts'
import type { World } from '../world.ts'

// Requests that schemathesis makes up from `docs/openapi.json`, by the rules and against them, one by one and one after the other: no answer may be a 5xx, or one that
// the document does not describe.

const PINS = join('test', 'clients', 'generated', 'schemathesis', 'requirements.txt')
const DOCUMENT = resolve('docs', 'openapi.json')
const PATIENCE_MS = 45 * 60_000

/**
 * Both judge by what no schema says: that an optional field which is null or empty is refused, and that what a schema lets through is accepted, although a name is there
 * already.
 */
const LEFT_OUT = ['negative_data_rejection', 'positive_data_acceptance']

/** The same requests in each run, and no more than these. */
const BOUNDS = ['--max-examples', '3', '--seed', '1', '--generation-database', 'none', '--workers', '2']

/** `GET /messages/wait` answers within a minute. */
const REQUEST_TIMEOUT = ['--request-timeout', '90']

/** It finds its own key in the list: one with a policy could do little of the rest, so what changes keys has its turn behind everything else. */
const OF_KEYS = '/api-keys/{id}'
const TURNS = [
  ['--exclude-path', OF_KEYS],
  ['--include-path', OF_KEYS],
]

interface Report {
  readonly operations: { readonly tested: number; readonly selected: number; readonly total: number }
  readonly test_cases: { readonly generated: number }
  readonly complete: boolean
  readonly failures: readonly Failure[]
  readonly errors: readonly object[]
}

interface Failure {
  readonly operation?: string
  readonly title?: string
  readonly message?: string
}

export async function tryMadeUpRequests(world: World): Promise<Score[]> {
  const missing = missingTool(['python3'])
  if (missing) return skip(`no ${missing} on this machine`)
  const folder = install()
  if (folder === null) return skip('it cannot be installed here')
  const reports: Report[] = []
  for (const turn of TURNS) reports.push(await takeTurn(turn, folder, world))
  return [scoreOf(reports)]
}

async function takeTurn(turn: readonly string[], folder: string, world: World): Promise<Report> {
  const file = join(folder, 'report.json')
  rmSync(file, { force: true })
  const words = [
    ...['--no-color', 'run', DOCUMENT, '--url', world.url, '--header', `Authorization: Bearer ${world.token}`],
    ...['--exclude-checks', LEFT_OUT.join(','), '--continue-on-failure', ...BOUNDS, ...REQUEST_TIMEOUT, ...turn],
    ...['--report', 'json', '--report-json-path', file],
  ]
  const options = { cwd: folder, timeout: PATIENCE_MS, maxBuffer: 64 * 1_048_576 }
  // Ends with 1 when something is wrong, which its report says.
  const said = await promisify(execFile)(join(folder, 'venv', 'bin', 'st'), words, options).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
  console.error(said.slice(Math.max(0, said.search(/^=+ (?:FAILURES|ERRORS|SUMMARY)/m))))
  return JSON.parse(readFileSync(file, 'utf8'))
}

function skip(why: string): Score[] {
  console.error(`  skipped: ${why}`)
  return []
}

/** A folder of the system, used again the next time. Null: its packages cannot be had here. */
function install(): string | null {
  const pins = readFileSync(PINS)
  const folder = join(tmpdir(), `postwren-schemathesis-${createHash('sha256').update(pins).digest('hex').slice(0, 12)}`)
  if (existsSync(join(folder, '.installed'))) return folder
  mkdirSync(folder, { recursive: true })
  const run = (program: string, ...words: readonly string[]) =>
    spawnSync(program, words, { cwd: folder, stdio: ['ignore', 2, 2] }).status === 0
  const isDone =
    run('python3', '-m', 'venv', '--clear', 'venv') &&
    run(join(folder, 'venv', 'bin', 'python'), '-m', 'pip', 'install', '--quiet', '-r', resolve(PINS))
  if (!isDone) return null
  writeFileSync(join(folder, '.installed'), '')
  return folder
}

/** A call is an operation; what is wrong with one counts once for each reason. */
function scoreOf(reports: readonly Report[]): Score {
  const score = new Score('schemathesis', VERSION)
  const tested = sumOf(reports.map(({ operations }) => operations.tested))
  const failures = reports.flatMap((report) => report.failures)
  const wrong = new Set(failures.map(({ operation }) => operation))
  for (let n = wrong.size; n < tested; n++) score.count('operation', [])
  for (const { operation = '?', title = '', message = '' } of failures) score.count(operation, [`${title} ${message}`])
  for (const error of reports.flatMap(({ errors }) => errors)) score.count('error', [JSON.stringify(error)])
  for (const { complete, operations } of reports)
    if (!complete || operations.tested < operations.selected)
      score.count('end', [`${operations.tested} of ${operations.selected} operations were tried`])
  const requests = sumOf(reports.map(({ test_cases: cases }) => cases.generated))
  console.error(`  ${requests.toLocaleString('en-US')} requests to ${tested} operations`)
  return score
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

const VERSION = /^schemathesis==(.+)$/m.exec(readFileSync(PINS, 'utf8'))![1]!
