import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findBinaries } from './binaries.ts'
import { DATABASE, isCluster, refuseOccupied, refuseOtherMajor, SUPERUSER } from './cluster.ts'
import type { EmbeddedPostgres } from './embedded.ts'
import { findPostmaster } from './postmaster.ts'
import { refuseForeignOwner, runAsForNewCluster, runAsOwner } from './run-as.ts'
import { PORT } from './settings.ts'

export type FoundCluster =
  | { readonly kind: 'none' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'running'; readonly connection: EmbeddedPostgres['connection'] }

/**
 * What there is of an embedded PostgreSQL. Makes, starts and changes nothing, and throws what `startEmbeddedPostgres` would throw as
 * far as that can be seen without trying.
 */
export async function findCluster(dataDir: string): Promise<FoundCluster> {
  const binaries = findBinaries()
  if (!existsSync(dataDir)) {
    await runAsForNewCluster(existingAbove(dataDir), binaries)
    return { kind: 'none' }
  }
  const folder = join(realpathSync(dataDir), 'postgres')
  if (existsSync(folder)) refuseForeignOwner(folder)
  refuseOccupied(folder)
  if (!isCluster(folder)) {
    await runAsForNewCluster(dirname(folder), binaries)
    return { kind: 'none' }
  }
  refuseOtherMajor(folder, binaries)
  const postmaster = await findPostmaster(folder)
  if (postmaster?.status !== 'ready') {
    await runAsOwner(folder, binaries)
    return { kind: 'stopped' }
  }
  const connection = {
    host: postmaster.socketFolder,
    port: PORT,
    user: SUPERUSER,
    database: DATABASE,
    ssl: false,
  } as const
  return { kind: 'running', connection }
}

function existingAbove(folder: string): string {
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  return existing
}
