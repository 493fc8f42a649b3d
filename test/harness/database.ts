import pg from 'pg'
import { expect, inject } from 'vitest'
import { databaseOn } from './global-setup.ts'

let latest: { file: string; name: string; copy: Promise<pg.ClientConfig> } | null = null
let made = 0

/**
 * A migrated database that this test file has for itself. Tests in it keep apart by using teams of their own. Files of one worker
 * share this module, so the path tells when the next one has begun: what the last one left in the queues is not its business.
 */
export function freshDatabase(): Promise<pg.ClientConfig> {
  const file = expect.getState().testPath ?? ''
  if (latest?.file !== file) {
    const name = `${inject('postgres').template}_${process.pid}_${++made}`
    latest = { file, name, copy: makeCopy(name, latest?.name) }
  }
  return latest.copy
}

/** In place of the one before it, which nobody needs any more: a hundred of them would fill a gigabyte. */
async function makeCopy(name: string, previous: string | undefined): Promise<pg.ClientConfig> {
  const { connection, template } = inject('postgres')
  const admin = new pg.Client(connection)
  await admin.connect()
  if (previous) await admin.query(`drop database if exists ${previous} with (force)`)
  await admin.query(`create database ${name} template ${template}`)
  await admin.end()
  return databaseOn(connection, name)
}
