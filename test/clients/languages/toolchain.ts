import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Finished } from '../packages.ts'
import type { Command, Language } from './languages.ts'

const SOURCE = join('test', 'clients', 'languages')

/** A trial of a slow machine, with all that it waits for. */
const PATIENCE_MS = 300_000

/** The first tool that is not on this machine. */
export const missingTool = (tools: readonly string[]): string | undefined =>
  tools.find((tool) => spawnSync('sh', ['-c', 'command -v "$0"', tool]).status !== 0)

/** Where a language is installed and built: a folder of the system, used again the next time. */
export function folderOf(key: string, { pins }: Language): string {
  const hash = createHash('sha256').update(readFileSync(join(SOURCE, key, pins)))
  return join(tmpdir(), `postwren-clients-${key}-${hash.digest('hex').slice(0, 12)}`)
}

/**
 * Copies the programs of this checkout there, installs what they need when it is not there, and builds them. False: the packages of the
 * language cannot be had here.
 */
export function prepare(key: string, language: Language, folder: string): boolean {
  mkdirSync(folder, { recursive: true })
  cpSync(join(SOURCE, key), folder, { recursive: true })
  if (!existsSync(join(folder, '.installed'))) {
    if (!language.install.every((command) => run(command, folder))) return false
    writeFileSync(join(folder, '.installed'), '')
  }
  for (const [program, ...words] of language.build ?? [])
    if (!run([program, ...words], folder))
      throw new Error(`${[program, ...words].join(' ')} failed in ${folder}; its own message is above.`)
  return true
}

export const succeeds = ([program, ...words]: Command, cwd: string): boolean =>
  spawnSync(program, words, { cwd, stdio: 'ignore' }).status === 0

const run = ([program, ...words]: Command, cwd: string) =>
  spawnSync(program, words, { cwd, stdio: ['ignore', 2, 2] }).status === 0

export async function runProgram(
  [program, ...words]: Command,
  cwd: string,
  environment: Record<string, string>,
): Promise<Finished> {
  const running = promisify(execFile)(program, words, {
    cwd,
    env: { ...process.env, ...environment },
    timeout: PATIENCE_MS,
    maxBuffer: 64 * 1_048_576,
  })
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code?: number; stdout?: string; stderr?: string }) => ({
      code: typeof error.code === 'number' ? error.code : null,
      stdout: error.stdout ?? '',
      stderr: error.stderr ?? String(error),
    }),
  )
}
