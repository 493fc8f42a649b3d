import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { openBackend } from '../../../test/harness/backends.ts'
import { freshDatabase, PATIENT } from '../../../test/harness/database.ts'
import { eventually } from '../../../test/harness/service.ts'
import type { BlobStore } from '../../adapters/blobs/blob-store.ts'
import { FileBlobStore } from '../../adapters/blobs/file-blob-store.ts'
import { WatchedBlobStore } from '../../adapters/blobs/watched-blob-store.ts'
import { Database } from '../../kernel/db/database.ts'
import type { PresenceTimes } from '../../kernel/db/presence.ts'
import { raw, sql } from '../../kernel/db/sql.ts'
import { systemClock } from '../../platform/clock.ts'
import { Metrics } from '../../platform/observability/metrics.ts'
import type { Config } from '../../platform/settings/config.ts'
import { ReadinessChecks } from './readiness.ts'

const WELL = { database: 'ok', clock: 'ok', heartbeat: 'ok', blobs: 'ok', roles: 'ok' }
/** Fast, and patient with a busy machine. */
const PRESENCE = { ...PATIENT.presence, heartbeatMs: 50, clockMs: 60_000 }

async function openNode(presence: Partial<PresenceTimes> = {}) {
  const db = Database.connect(await freshDatabase(), { clock: systemClock, presence: { ...PRESENCE, ...presence } })
  onTestFinished(() => db.close())
  await db.presence.start()
  return db
}

async function startChecks({
  roles = ['api', 'delivery', 'jobs'],
  HOLD = 'off',
  presence = {},
}: {
  roles?: Config['ROLES']
  HOLD?: Config['HOLD']
  presence?: Partial<PresenceTimes>
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-readiness-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files = new FileBlobStore(folder)
  const failing: { with: Error | null } = { with: null }
  const store: BlobStore = {
    put: async (key, content) => {
      if (failing.with) throw failing.with
      await files.put(key, content)
    },
    get: (key) => files.get(key),
    open: (key) => files.open(key),
    remove: (key) => files.remove(key),
    archived: () => files.archived(),
  }
  const db = await openNode(presence)
  const blobs = new WatchedBlobStore(store, { probeEveryMs: 0 })
  const metrics = new Metrics()
  const checks = new ReadinessChecks({ db, blobs, metrics, config: { ROLES: roles, HOLD } })
  return { db, blobs, checks, metrics, failing }
}

test('a process that can work says so', async () => {
  const { checks } = await startChecks()

  expect(await checks.read()).toEqual(WELL)
})

test('a database that turns read-only is told by the heartbeat, and so is the end of it', async () => {
  const { checks, metrics } = await startChecks()
  const config = await freshDatabase()
  const admin = new pg.Client({ ...config, application_name: 'test' })
  await admin.connect()
  const turn = async (isReadOnly: 'on' | 'off') => {
    await admin.query(`alter database ${config.database} set default_transaction_read_only = ${isReadOnly}`)
    await admin.query(`
      select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'postwren%'`)
  }
  onTestFinished(async () => {
    await turn('off')
    await admin.end()
  })

  await turn('on')
  await eventually(async () => (await checks.read()).database === 'read_only')
  const shown = await metrics.render()
  await turn('off')
  await eventually(async () => (await checks.read()).database === 'ok')

  expect(shown).toContain('postwren_check{check="database",state="read_only"} 1\n')
  expect(shown).toContain('postwren_check{check="database",state="ok"} 0\n')
})

test('a full disk of PostgreSQL is known by what failed, until something that takes room succeeds', async () => {
  const { db, checks } = await startChecks()
  const full = sql`
    create function fail_for_room() returns event_trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`
  const drop = () => db.query(sql`drop function if exists fail_for_room cascade`)
  onTestFinished(async () => void (await drop()))
  await db.query(full)
  await db.query(
    raw(
      "create event trigger no_room on ddl_command_start when tag in ('CREATE TABLE AS', 'CREATE TABLE') execute function fail_for_room()",
    ),
  )

  await expect(db.query(sql`create table more (id int)`)).rejects.toThrow('No space left')
  const during = await checks.read()
  await drop()
  await eventually(async () => (await checks.read()).database === 'ok')

  expect(during).toEqual({ ...WELL, database: 'disk_full' })
})

test('blobs that cannot be written are known by the last write, and looked for by a probe', async () => {
  const { checks, blobs, failing } = await startChecks()
  failing.with = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const full = await checks.read()
  failing.with = new Error('connect ECONNREFUSED')
  await blobs.put('one', Buffer.from('x')).catch(() => {})
  const away = await checks.read()
  failing.with = null

  expect([full.blobs, away.blobs, (await checks.read()).blobs]).toEqual(['disk_full', 'away', 'ok'])
})

test('a heartbeat that is not written is no proof', async () => {
  const { checks } = await startChecks({ presence: { leaseMs: 300 } })
  const backend = await openBackend()

  await backend.hold('lock table nodes in exclusive mode')
  await eventually(async () => (await checks.read()).heartbeat === 'unproven')
  await backend.release()
  await eventually(async () => (await checks.read()).heartbeat === 'ok')
})

test('roles that nobody has are named, until a process with them is there', async () => {
  const { checks, metrics } = await startChecks({ roles: ['api'] })
  const alone = await checks.read()
  const shown = await metrics.render()
  const other = await openNode()
  for (const work of ['deliveries', 'jobs']) onTestFinished(other.signals.work(work, () => {}))
  await eventually(async () => (await checks.read()).roles === 'ok')

  expect(alone).toEqual({ ...WELL, roles: 'missing', missing_roles: ['delivery', 'jobs'] })
  expect(shown).toContain('postwren_role_processes{role="delivery"} 0\n')
})

test('what is held back on purpose is missed by nobody', async () => {
  const { checks } = await startChecks({ roles: ['api'], HOLD: 'on' })

  expect((await checks.read()).roles).toBe('ok')
})

test('/readyz names each check, and /health says the same in one word', async () => {
  const broken = { isSo: false }
  const app = await startApp(
    {},
    {
      blobs: (real) => ({
        put: async (key, content) => {
          if (broken.isSo) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
          await real.put(key, content)
        },
        get: (key) => real.get(key),
        open: (key) => real.open(key),
        remove: (key) => real.remove(key),
        archived: () => real.archived(),
      }),
    },
  )
  const ask = async (url: string) => {
    const { statusCode, body } = await app.server.inject({ method: 'GET', url })
    return { status: statusCode, body: JSON.parse(body) }
  }

  expect(await ask('/readyz')).toEqual({ status: 200, body: { status: 'ok', checks: { service: 'ok', ...WELL } } })
  broken.isSo = true
  expect(await ask('/readyz')).toEqual({
    status: 503,
    body: { status: 'unavailable', checks: { service: 'ok', ...WELL, blobs: 'disk_full' } },
  })
  expect(await ask('/health')).toEqual({ status: 503, body: { status: 'unavailable' } })
})

test('a process whose work nobody does is degraded, and takes traffic', async () => {
  const app = await startApp({ POSTWREN_ROLES: 'api' })
  const { status, body } = await app.send({ method: 'GET', url: '/readyz' })
  const health = await app.send({ method: 'GET', url: '/health' })

  expect([status, body.status, body.checks.missing_roles]).toEqual([200, 'degraded', ['delivery', 'jobs']])
  expect([health.status, health.body]).toEqual([200, { status: 'ok' }])
})
