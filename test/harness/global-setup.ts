import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../src/platform/db/migrate.ts'
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded.ts'
import { CHROMIUM } from './chromium-path.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: { connection: pg.ClientConfig; template: string }
  }
}

const silent = { info() {}, warn() {} }

/**
 * One real PostgreSQL for the whole run, and in it one migrated database that every test file copies: a copy takes some 30 ms,
 * migrating takes ten times that. `POSTWREN_TEST_DATABASE_URL` names another server, to run the tests on another version.
 */
export default async function setup(project: TestProject) {
  if (!CHROMIUM) process.stdout.write('The dashboard is not tested in a browser: there is no Chromium here.\n')
  const server = await startServer()
  try {
    const template = `postwren_template_${process.pid}`
    const admin = new pg.Client(server.connection)
    await admin.connect()
    await admin.query(`create database ${template}`)
    await migrate(databaseOn(server.connection, template))
    project.provide('postgres', { connection: server.connection, template })
    return async () => {
      const { rows } = await admin.query('select datname from pg_database where starts_with(datname, $1)', [template])
      for (const { datname } of rows) await admin.query(`drop database ${datname} with (force)`)
      await admin.end()
      await server.stop()
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function startServer(): Promise<{ connection: pg.ClientConfig; stop(): Promise<void> }> {
  const url = process.env.POSTWREN_TEST_DATABASE_URL
  if (url) return { connection: { connectionString: url }, stop: async () => {} }
  const dataDir = mkdtempSync(join(tmpdir(), 'postwren-tests-'))
  // Nothing in here outlives the run, so nothing needs to reach the disk. The crash tests start servers of their own.
  const server = await startEmbeddedPostgres({
    dataDir,
    log: silent,
    settings: { fsync: 'off', max_connections: '300' },
  })
  return {
    connection: server.connection,
    async stop() {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export function databaseOn(connection: pg.ClientConfig, database: string): pg.ClientConfig {
  if (!connection.connectionString) return { ...connection, database }
  const url = new URL(connection.connectionString)
  url.pathname = `/${database}`
  return { connectionString: url.href }
}
