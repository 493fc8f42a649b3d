import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PRIVATE_FILE } from '../../../platform/settings/data-folder.ts'
import { OperatorError } from '../command.ts'

/** Two proxies would write one report. Gives back how to let go; what a process left that has died counts for nothing. */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'proxy.pid')
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx', mode: PRIVATE_FILE })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const holder = Number(readFileSync(file, 'utf8'))
    if (holder !== process.pid && isAlive(holder))
      throw new OperatorError(
        `A proxy already runs with ${folder} (process ${holder}): stop it, or set POSTWREN_DATA_DIR.`,
      )
    writeFileSync(file, String(process.pid), { mode: PRIVATE_FILE })
  }
  return () => rmSync(file, { force: true })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
