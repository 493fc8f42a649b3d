import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { atEnd } from '../cleanup.ts'

const MAX_STOP_MS = 10_000

/** Starts a program of Node that is not ours, with nothing of our environment but what a shell has. */
export function startProgram(
  command: readonly [string, ...string[]],
  { cwd, settings = {} }: { cwd: string; settings?: Record<string, string> },
) {
  const [file, ...words] = command
  const { PATH = '', HOME = '', TMPDIR } = process.env
  const env = { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}), ...settings }
  const child = spawn(file, words, { cwd, env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  let said = ''
  child.stderr!.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-500)
  })
  const stop = atEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    process.kill(-child.pid!, 'SIGTERM')
    const kill = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), MAX_STOP_MS)
    await ended
    clearTimeout(kill)
  })
  return {
    pid: child.pid!,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    said: () => said.trim(),
    stop,
  }
}
