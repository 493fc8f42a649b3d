import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { Score } from '../score.ts'
import type { World } from '../world.ts'

// What others make of `docs/openapi.json`: linters read it, generators make clients of it, which must compile as strictly as TypeScript
// can and do what they say.

const SOURCE = join('test', 'clients', 'generated')
const DOCUMENT = join('docs', 'openapi.json')
const LOCK = readFileSync(join(SOURCE, 'package-lock.json'))
const FOLDER = join(tmpdir(), `postwren-generated-${createHash('sha256').update(LOCK).digest('hex').slice(0, 12)}`)
const PATIENCE_MS = 300_000

function install() {
  mkdirSync(FOLDER, { recursive: true })
  if (!existsSync(join(FOLDER, '.installed'))) {
    console.error(`Installing linters and generators into ${FOLDER} …`)
    for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(SOURCE, name), join(FOLDER, name))
    const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    const done = spawnSync('npm', words, { cwd: FOLDER, stdio: ['ignore', 2, 2] })
    if (done.status !== 0) throw new Error('npm could not install them; its own message is above.')
    writeFileSync(join(FOLDER, '.installed'), '')
  }
  // The document and the programs are always those of this checkout.
  cpSync(SOURCE, FOLDER, { recursive: true })
  copyFileSync(DOCUMENT, join(FOLDER, 'openapi.json'))
}

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(FOLDER, 'node_modules', name, 'package.json'), 'utf8')).version

/** A program of the folder. */
function run(program: string, words: readonly string[], environment: Record<string, string> = {}) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join('node_modules', program), ...words], {
    cwd: FOLDER,
    env: { PATH: process.env.PATH!, HOME: FOLDER, NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', ...environment },
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    maxBuffer: 64 * 1_048_576,
  })
  return { text: stdout, said: (stdout + stderr).trim(), isDone: status === 0 }
}

interface Linter {
  readonly package: string
  readonly program: string
  readonly words: readonly string[]
}

const LINTERS: readonly Linter[] = [
  {
    package: '@redocly/cli',
    program: '@redocly/cli/bin/cli.js',
    words: ['lint', 'openapi.json', '--config=redocly.yaml', '--format=stylish', '--max-problems=1000'],
  },
  {
    package: '@stoplight/spectral-cli',
    program: '@stoplight/spectral-cli/dist/index.js',
    words: ['lint', 'openapi.json', '--ruleset=spectral.yaml', '--fail-severity=hint', '--quiet'],
  },
]

/** Warnings count as errors do; rules that are off have their reason in the linter's settings. */
export async function lintDocument(): Promise<Score[]> {
  install()
  return LINTERS.map((linter) => {
    const score = new Score(linter.package, versionOf(linter.package))
    const { said, isDone } = run(linter.program, linter.words)
    const problems = said.split('\n').filter((line) => /\b(?:error|warning|hint)\b.*\s/.test(line))
    if (isDone) score.count('lint', [])
    else for (const line of problems.length > 0 ? problems : [said]) score.count('lint', [line])
    return score
  })
}

interface Generator {
  readonly package: string
  readonly program: string
  /** Where the client goes is the folder of its name in `programs`. */
  readonly words: readonly string[]
}

export const GENERATORS: Record<string, Generator> = {
  'openapi-typescript': {
    package: 'openapi-typescript',
    program: 'openapi-typescript/bin/cli.js',
    // Otherwise what has a default would have to be given.
    words: ['openapi.json', '--default-non-nullable=false', '--output=programs/openapi-typescript/schema.ts'],
  },
  'hey-api': {
    package: '@hey-api/openapi-ts',
    program: '@hey-api/openapi-ts/bin/run.js',
    words: ['--input=openapi.json', '--output=programs/hey-api'],
  },
}

export async function tryGenerated(name: string, world: World): Promise<Score[]> {
  install()
  const generator = GENERATORS[name]!
  const score = new Score(generator.package, versionOf(generator.package))
  const step = (call: string, { said, isDone }: ReturnType<typeof run>) => score.count(call, isDone ? [] : [said])
  step('generate', run(generator.program, generator.words))
  writeFileSync(join(FOLDER, `tsconfig.${name}.json`), JSON.stringify(settingsFor(name)))
  step('type-check', run('typescript/bin/tsc', ['-p', `tsconfig.${name}.json`]))
  const program = join(FOLDER, `${name}.mjs`)
  const entry = join(FOLDER, 'programs', `${name}.ts`)
  await build({
    entryPoints: [entry],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  })
  const { text, said } = run(join('..', `${name}.mjs`), [], { RESEND_API_KEY: world.token, RESEND_BASE_URL: world.url })
  const lines = text.split('\n').filter((line) => line.startsWith('{'))
  if (lines.length === 0) score.count('run', [said])
  for (const line of lines) {
    const { call, error } = JSON.parse(line) as { call: string; error?: string }
    score.count(call, error === undefined ? [] : [error])
  }
  return [score]
}

const settingsFor = (name: string) => ({ extends: './tsconfig.json', include: [`programs/${name}.ts`] })
