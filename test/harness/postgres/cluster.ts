import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Puts a copy of the cluster in one data folder into another, owner and all: as root the files belong to somebody else. */
export function copyCluster(from: string, to: string) {
  mkdirSync(to, { recursive: true })
  execFileSync('cp', ['-a', join(from, 'postgres'), to])
}
