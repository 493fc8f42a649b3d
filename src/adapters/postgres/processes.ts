import { execFile } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { promisify } from 'node:util'

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether a process is PostgreSQL, working for this cluster as far as the system tells, and not a zombie. */
export async function isPostgresOf(clusterFolder: string, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false
  return process.platform === 'linux' ? isPostgresOnLinux(clusterFolder, pid) : isPostgresByName(pid)
}

function isPostgresOnLinux(clusterFolder: string, pid: number): boolean {
  try {
    const [, name, state] = readFileSync(`/proc/${pid}/stat`, 'utf8').match(/\((.*)\) (\w)/s) ?? []
    if (name !== 'postgres' || state === 'Z' || state === 'X') return false
    // After a reboot the number may belong to the server of another checkout. PostgreSQL works inside its cluster's folder.
    return readlinkSync(`/proc/${pid}/cwd`) === clusterFolder
  } catch {
    return false
  }
}

async function isPostgresByName(pid: number): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-o', 'comm=', '-p', String(pid)])
    const [state, ...command] = stdout.trim().split(/\s+/)
    return !state?.startsWith('Z') && basename(command.join(' ')) === 'postgres'
  } catch {
    return false
  }
}
