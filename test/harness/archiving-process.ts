import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'
import type { App } from './app.ts'
import { freshDatabase } from './database.ts'

/** Before or behind which of its writes a process stops. */
export interface Stop {
  readonly put: number
  readonly isBehind: boolean
}

/** Runs programs/archiving.ts on the database and the folder of an app, with its time. */
export async function archivingProcesses(app: App, settings: Record<string, string>) {
  const cache = join(import.meta.dirname, '../../node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'archiving-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const outfile = join(folder, 'program.mjs')
  const entry = join(import.meta.dirname, 'programs/archiving.ts')
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
  return {
    /** Kills one where it stops. Gives what it was about to write, or had written. */
    async killAt(stop: Stop): Promise<string> {
      const input = { connection: await freshDatabase(), now: app.clock.now(), folder: app.folder, settings, stop }
      const child = spawn(process.execPath, [outfile, JSON.stringify(input)], { stdio: ['ignore', 'pipe', 'pipe'] })
      let output = ''
      child.stderr.on('data', (chunk) => {
        output += chunk
      })
      const closed = once(child, 'close')
      await new Promise<void>((resolve, reject) => {
        child.stdout.on('data', (chunk) => {
          output += chunk
          if (output.includes('\n')) resolve()
        })
        child.on('close', () => reject(new Error(output)))
      })
      child.kill('SIGKILL')
      await closed
      return output.trim()
    },
  }
}
