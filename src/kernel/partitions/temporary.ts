import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../platform/settings/config.ts'

// Folders for rows on their way into the archive, or out of it. A process that is killed leaves one, with what people wrote: the next one removes it.

const NAME = /^archive-(\d+)-/
const inUse = new Set<string>()

/** A folder of its own, which goes with the work. */
export async function inTemporaryFolder<Result>(
  config: Pick<Config, 'DATA_DIR'>,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  await removeAbandoned(config)
  const name = `archive-${process.pid}-${randomUUID()}`
  const folder = join(config.DATA_DIR, 'tmp', name)
  inUse.add(name)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
    inUse.delete(name)
  }
}

/** Folders of processes that are no more. */
export async function removeAbandoned({ DATA_DIR }: Pick<Config, 'DATA_DIR'>) {
  const names = await readdir(join(DATA_DIR, 'tmp')).catch(() => [])
  for (const name of names) {
    const pid = NAME.exec(name)?.[1]
    if (pid === undefined || inUse.has(name) || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue
    await rm(join(DATA_DIR, 'tmp', name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
