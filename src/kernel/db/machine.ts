import { readFileSync, readlinkSync } from 'node:fs'

/**
 * The name of this machine as long as it runs, and of the set of processes that can see each other on it: two containers of one
 * machine differ. Null where the system does not tell, and then nobody can be looked up.
 */
export const thisMachine: string | null = (() => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return null
  }
})()

/** What a process does, as another one on the same machine sees it. `stopped`: a signal or a debugger holds it. */
export type ProcessState = 'gone' | 'stopped' | 'running' | 'unknown'

/** When this process began, as the system counts: with its number it is a name that no other process gets while the machine runs. */
export const thisProcessStart: string | null = processStart(process.pid)

export function processStart(pid: number): string | null {
  return readProcess(pid)?.start ?? null
}

/** `start` is null where it was not told: then a process that was given the number of a dead one cannot be told from it. */
export function processState(pid: number, start: string | null): ProcessState {
  if (isProcessGone(pid)) return 'gone'
  const found = readProcess(pid)
  if (!found || start === null) return 'unknown'
  if (found.start !== start || DEAD.has(found.state)) return 'gone'
  return STOPPED.has(found.state) ? 'stopped' : 'running'
}

/** Z: it has ended, and its parent has not asked yet how. */
const DEAD = new Set(['Z', 'X', 'x'])
const STOPPED = new Set(['T', 't'])

function readProcess(pid: number): { state: string; start: string } | null {
  try {
    // proc(5): the second field is the name, in parentheses and with anything in it; the third is the state, the 22nd the start.
    const [state, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return { state: state!, start: rest[18]! }
  } catch {
    return null
  }
}

function isProcessGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as { code?: unknown }).code === 'ESRCH'
  }
}
