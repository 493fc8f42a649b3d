import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProcess } from '../../../test/harness/postgres/process.ts'
import {
  eventually,
  folderWithCluster,
  isRunning,
  killServer,
  query,
  scratchFolder,
  start,
} from '../../../test/harness/postgres/server.ts'

const timesStarted = (dataDir: string) =>
  readFileSync(join(dataDir, 'postgres.log'), 'utf8').split('ready to accept connections').length - 1

test('of three processes that race on an empty folder one starts the server and all use it', async () => {
  const dataDir = scratchFolder()

  const programs = await Promise.all([1, 2, 3].map(() => startProcess({ dataDir, occupation: 'waits' })))
  await Promise.all(programs.map((program) => program.ready()))

  expect(timesStarted(dataDir)).toBe(1)
  expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log'])
})

test('of three starters in one process one starts the server and all use it', async () => {
  const dataDir = folderWithCluster()

  const servers = await Promise.all([1, 2, 3].map(() => start(dataDir)))

  expect(servers.filter(({ words }) => words[0]?.includes('started'))).toHaveLength(1)
  expect(timesStarted(dataDir)).toBe(1)
})

test('the first to stop leaves the server to the second, the last one stops it', async () => {
  const dataDir = folderWithCluster()
  const program = await startProcess({ dataDir, occupation: 'waits' })
  await program.ready()
  const server = await start(dataDir)

  program.signal('SIGTERM')
  expect(await program.ended()).toBe(0)
  expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
  await server.stop()

  expect(program.lines.at(-1)).toContain('stays up')
  expect(await isRunning(dataDir)).toBe(false)
})

test('a killed user does not count', async () => {
  const dataDir = folderWithCluster()
  const program = await startProcess({ dataDir, occupation: 'waits' })
  await program.ready()
  const server = await start(dataDir)

  program.signal('SIGKILL')
  await program.ended()
  const users = () => query(server, "select from pg_stat_activity where application_name = 'postwren lease'")
  await eventually(async () => (await users()).length === 1)
  await server.stop()

  expect(await isRunning(dataDir)).toBe(false)
})

test('all users that stop at the same time stop the server', async () => {
  const dataDir = folderWithCluster()
  const servers = await Promise.all([1, 2, 3].map(() => start(dataDir)))

  await Promise.all(servers.map((server) => server.stop()))

  expect(await isRunning(dataDir)).toBe(false)
})

test('who comes while the server is being stopped gets it started again', async () => {
  const dataDir = folderWithCluster()
  let server = await start(dataDir)

  for (let round = 0; round < 10; round++) {
    const [, next] = await Promise.all([server.stop(), start(dataDir)])
    server = next
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
  }
})

test('when the server is killed its users get it back together', async () => {
  const dataDir = folderWithCluster()
  const servers = await Promise.all([1, 2, 3].map(() => start(dataDir)))

  await killServer(join(dataDir, 'postgres'))
  await eventually(() => servers.every(({ words }) => /(started|up) again/.test(words.at(-1) ?? '')))

  expect(timesStarted(dataDir)).toBe(2)
  for (const server of servers) expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
})
