import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'
import { Changes } from '../changes.ts'

export interface TestProcess {
  readonly lines: string[]
  acknowledged(): number[]
  ready(): Promise<void>
  /** Resolves once so many are acknowledged. */
  acknowledges(count: number): Promise<void>
  signal(name: NodeJS.Signals): void
  /** The exit code, or the signal that ended it. */
  ended(): Promise<number | string>
}

/** Runs programs/postgres.ts, bundled as the product is. Killed when the test ends. */
export async function startProcess(options: {
  dataDir: string
  occupation: 'inserts' | 'waits' | 'ends'
  user?: { uid: number; gid: number }
}): Promise<TestProcess> {
  const program = await bundle()
  const identity = options.user && { uid: options.user.uid, gid: options.user.gid }
  const child = spawn(process.execPath, [program, options.dataDir, options.occupation], { ...identity, stdio: 'pipe' })
  const exit = once(child, 'close')
  let output = ''
  const changes = new Changes()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
      changes.notify()
    })
  }
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exit
  })

  const lines = () => output.split('\n').slice(0, -1)
  const acknowledged = () =>
    lines()
      .flatMap((line) => /^acknowledged (\d+)$/.exec(line)?.[1] ?? [])
      .map(Number)
  return {
    get lines() {
      return lines()
    },
    acknowledged,
    ready: () => changes.until(() => lines().includes('ready')),
    acknowledges: (count) => changes.until(() => acknowledged().length >= count),
    signal: (name) => child.kill(name),
    async ended() {
      const [code, signal] = await exit
      return code ?? signal
    },
  }
}

/** Inside node_modules, so that its imports resolve. */
async function bundle(): Promise<string> {
  const cache = join(import.meta.dirname, '../../../node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'postgres-test-'))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const outfile = join(folder, 'program.mjs')
  const entry = join(import.meta.dirname, '../programs/postgres.ts')
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
  return outfile
}
