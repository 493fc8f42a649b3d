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

/** Whether there is no process with this number. One that was given the number of a dead one counts as alive: then time decides. */
export function isProcessGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as { code?: unknown }).code === 'ESRCH'
  }
}
