import { spawnSync } from 'node:child_process'

const found = new Map<string, boolean>()

/** Whether a program of the machine is there. Where it is not, one line says what that leaves untested. */
export function hasTool(name: string, words: readonly string[], untested: string): boolean {
  const known = found.get(name)
  if (known !== undefined) return known
  const isThere = spawnSync(name, words, { stdio: 'ignore' }).status === 0
  found.set(name, isThere)
  if (!isThere) process.stdout.write(`${untested}: ${name} is not installed here.\n`)
  return isThere
}
