import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ObservedList } from '../../../test/harness/changes.ts'
import { insertForever } from '../../../test/harness/postgres/inserts.ts'
import { startProcess } from '../../../test/harness/postgres/process.ts'
import { folderWithCluster, killServer, query, start } from '../../../test/harness/postgres/server.ts'
import type { EmbeddedPostgres } from './embedded.ts'
import { findPostmaster } from './postmaster.ts'

async function lostOf(acknowledged: number[], server: EmbeddedPostgres): Promise<number[]> {
  const rows = await query<{ number: number }>(server, 'select number from acknowledged')
  const kept = new Set(rows.map(({ number }) => number))
  return acknowledged.filter((number) => !kept.has(number))
}

test('a killed server comes back by itself and has kept what it acknowledged', async () => {
  const dataDir = folderWithCluster()
  const server = await start(dataDir, {})
  const acknowledged = new ObservedList<number>()
  const inserting = new AbortController()
  const inserts = insertForever(server.connection, (number) => acknowledged.push(number), inserting.signal)

  for (const round of [1, 2, 3]) {
    await acknowledged.reached(round * 100)
    await killServer(join(dataDir, 'postgres'))
    await server.words.until(() => server.words.filter((line) => line.includes('started again')).length === round)
  }
  inserting.abort()
  await inserts

  expect(await lostOf(acknowledged, server)).toEqual([])
  expect(server.words.filter((line) => line.startsWith('warn: '))).toHaveLength(3)
})

test('a server outlives the killed process that started it, and the next one takes it over', async () => {
  const dataDir = folderWithCluster()
  const program = await startProcess({ dataDir, occupation: 'inserts' })
  await program.acknowledges(100)
  const before = await findPostmaster(join(dataDir, 'postgres'))

  program.signal('SIGKILL')
  expect(await program.ended()).toBe('SIGKILL')
  const server = await start(dataDir, {})

  expect(server.words[0]).toContain('was running already')
  expect((await findPostmaster(join(dataDir, 'postgres')))?.pid).toBe(before?.pid)
  expect(await lostOf(program.acknowledged(), server)).toEqual([])
})

test('after both were killed nothing that was acknowledged is lost', async () => {
  const dataDir = folderWithCluster()
  const program = await startProcess({ dataDir, occupation: 'inserts' })
  await program.acknowledges(100)

  program.signal('SIGKILL')
  await killServer(join(dataDir, 'postgres'))
  await program.ended()
  const server = await start(dataDir, {})

  expect(server.words[0]).toContain('started')
  expect(await lostOf(program.acknowledged(), server)).toEqual([])
})

test('when a single backend is killed the server lives, and is still known to be in use', async () => {
  const dataDir = folderWithCluster()
  const server = await start(dataDir, {})
  const before = await findPostmaster(join(dataDir, 'postgres'))
  const backends = await query<{ pid: number }>(
    server,
    "select pid from pg_stat_activity where application_name = 'postwren lease'",
  )

  process.kill(backends[0]!.pid, 'SIGKILL')
  await server.words.until(() => server.words.some((line) => line.includes('up again')))
  const other = await start(dataDir, {})
  await other.stop()

  expect(other.words.at(-1)).toContain('stays up')
  expect((await findPostmaster(join(dataDir, 'postgres')))?.pid).toBe(before?.pid)
})

test('a server that is killed while it is being stopped comes back only when asked', async () => {
  const dataDir = folderWithCluster()
  const server = await start(dataDir, {})

  const stopping = server.stop()
  await killServer(join(dataDir, 'postgres'))
  await stopping
  expect(await findPostmaster(join(dataDir, 'postgres'))).toBe(null)

  const again = await start(dataDir)
  expect(await query(again, 'select 1 as one')).toEqual([{ one: 1 }])
})
