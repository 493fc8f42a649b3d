import pg from 'pg'
import { inject } from 'vitest'
import { databaseOn } from './global-setup.ts'

let copy: Promise<pg.ClientConfig> | null = null

/** A migrated database that this test file has for itself. Tests in it keep apart by using teams of their own. */
export function freshDatabase(): Promise<pg.ClientConfig> {
  copy ??= makeCopy()
  return copy
}

async function makeCopy(): Promise<pg.ClientConfig> {
  const { connection, template } = inject('postgres')
  const name = `postwren_test_${process.pid}_${Date.now().toString(36)}`
  const admin = new pg.Client(connection)
  await admin.connect()
  await admin.query(`create database ${name} template ${template}`)
  await admin.end()
  return databaseOn(connection, name)
}
