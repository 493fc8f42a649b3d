import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startProcess } from '../../../test/harness/postgres/process.ts'
import {
  folderWithCluster,
  isRunning,
  query,
  scratchFolder,
  start,
  stopLeftover,
} from '../../../test/harness/postgres/server.ts'
import { findBinaries } from './binaries.ts'

test('a cold start makes the cluster, a warm one keeps what was written', async () => {
  const dataDir = join(scratchFolder(), 'not', 'yet', 'there')

  const first = await start(dataDir)
  await query(first, 'create table kept as select 42 as answer')
  await first.stop()
  expect(await isRunning(dataDir)).toBe(false)
  const second = await start(dataDir)

  expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }])
  expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log'])
})

test('what a starter left behind that was killed early is removed', async () => {
  const dataDir = scratchFolder()
  const deadPid = spawnSync('true').pid
  mkdirSync(join(dataDir, `postgres.init-${deadPid}-abcdef`, 'base'), { recursive: true })

  await start(dataDir)

  expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log'])
})

test('the server sorts, encodes and tells the time the same way everywhere, and listens on no port', async () => {
  const server = await start(folderWithCluster(), {})

  const settings = "'server_encoding', 'TimeZone', 'listen_addresses', 'fsync', 'synchronous_commit'"
  const rows = await query<{ name: string; setting: string }>(
    server,
    `select name, setting from pg_settings where name in (${settings})`,
  )
  const [locale] = await query(
    server,
    'select datlocprovider, datlocale from pg_database where datname = current_database()',
  )

  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    server_encoding: 'UTF8',
    TimeZone: 'UTC',
    listen_addresses: '',
    fsync: 'on',
    synchronous_commit: 'on',
  })
  expect(locale).toEqual({ datlocprovider: 'b', datlocale: 'C.UTF-8' })
  expect(statSync(server.connection.host).mode & 0o777).toBe(0o700)
})

test('a data folder with a path too long for a socket works', async () => {
  const dataDir = folderWithCluster(join(scratchFolder(), 'x'.repeat(100)))

  const server = await start(dataDir)
  onTestFinished(() => rmSync(server.connection.host, { recursive: true }))

  expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(server.connection.host.length).toBeLessThan(90)
  expect(statSync(server.connection.host).mode & 0o777).toBe(0o700)
})

test('a data folder with spaces, commas and quotes in its name works', async () => {
  const dataDir = folderWithCluster(join(scratchFolder(), 'a folder, "quoted"'))

  const server = await start(dataDir)

  expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('lock files that name a process of somebody else do not keep the server from starting', async () => {
  const dataDir = folderWithCluster()
  const first = await start(dataDir)
  const cluster = join(dataDir, 'postgres')
  const lock = readFileSync(join(cluster, 'postmaster.pid'), 'utf8')
  await first.stop()

  for (const file of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
    writeFileSync(join(cluster, file), lock.replace(/^\d+/, String(process.pid)))
  }
  const second = await start(dataDir)

  expect(await query(second, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10)).not.toBe(process.pid)
})

test('a cluster of another major version is refused in one line', async () => {
  const dataDir = scratchFolder()
  mkdirSync(join(dataDir, 'postgres'))
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '17\n')

  await expect(start(dataDir)).rejects.toThrow(/^.* was created by PostgreSQL 17, .*POSTWREN_DATABASE_URL.*$/)
})

test('a folder that holds something else is left alone', async () => {
  const dataDir = scratchFolder()
  mkdirSync(join(dataDir, 'postgres'))
  writeFileSync(join(dataDir, 'postgres', 'diary.txt'), 'mine')

  await expect(start(dataDir)).rejects.toThrow('is not a PostgreSQL cluster')
  expect(readdirSync(dataDir)).toEqual(['postgres'])
})

test('a system without binaries is told the way out', () => {
  expect(() => findBinaries('plan9-mips')).toThrow(
    /^No embedded PostgreSQL is available for plan9-mips: .*POSTWREN_DATABASE_URL.*$/,
  )
})

test('a server that cannot start says why, and at once', async () => {
  const dataDir = folderWithCluster()
  appendFileSync(join(dataDir, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n')

  await expect(start(dataDir)).rejects.toThrow('unrecognized configuration parameter "no_such_setting"')
})

test('using a server does not keep a process alive', async () => {
  const dataDir = folderWithCluster()

  const program = await startProcess({ dataDir, occupation: 'ends' })

  expect(await program.ended()).toBe(0)
  expect(await stopLeftover(join(dataDir, 'postgres'))).toBe(true)
})
