import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { startProcess } from '../../../test/harness/postgres/process.ts'
import { folderWithCluster, query, scratchFolder, start } from '../../../test/harness/postgres/server.ts'
import { findBinaries } from './binaries.ts'
import { findPostmaster } from './postmaster.ts'
import { runAsForNewCluster } from './run-as.ts'
import { findUser } from './users.ts'

const isRoot = process.getuid?.() === 0
const usual = findUser('postgres') ?? findUser('nobody')

describe.runIf(isRoot)('as root', () => {
  test('a folder that another user can reach gets a server that runs as that user', async () => {
    const dataDir = scratchFolder({ mode: 0o755 })

    const server = await start(dataDir)
    await server.stop()
    const again = await start(dataDir)

    expect(await query(again, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(usual?.uid)
    expect(await uidOfServer(dataDir)).toBe(usual?.uid)
  })

  test("a folder of root's that nobody else can enter gets a server in a user namespace", async () => {
    const dataDir = join(scratchFolder({ mode: 0o700 }), 'data')

    const server = await start(dataDir)
    await server.stop()
    const again = await start(dataDir)

    expect(await query(again, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(0)
    expect(await uidOfServer(dataDir)).toBe(0)
  })

  test('a folder that only its owner can enter is for a server that runs as the owner', async () => {
    const owner = findUser('daemon')!
    const dataDir = scratchFolder({ mode: 0o700, owner })

    expect(await runAsForNewCluster(dataDir, findBinaries())).toEqual({ kind: 'user', user: owner })
  })

  test('without any way the error says what to do, in one line', async () => {
    const closed = scratchFolder({ mode: 0o700 })
    vi.stubEnv('PATH', '/nowhere')

    await expect(start(closed)).rejects.toThrow(/^PostgreSQL refuses .* POSTWREN_DATA_DIR .* POSTWREN_DATABASE_URL.$/)
    vi.unstubAllEnvs()
  })

  test('an ordinary user starts it alone, and is told whose cluster is not theirs', async () => {
    const user = findUser('nobody')!
    const ownFolder = folderWithCluster()
    execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, ownFolder])

    const own = await startProcess({ dataDir: ownFolder, occupation: 'waits', user })
    const foreign = await startProcess({ dataDir: folderWithCluster(), occupation: 'waits', user })
    await own.ready()
    own.signal('SIGTERM')

    expect(await own.ended()).toBe(0)
    expect(await foreign.ended()).toBe(1)
    expect(foreign.lines.join('\n')).toContain(`belongs to the user ${usual?.name}: start Postwren as ${usual?.name}`)
  })
})

async function uidOfServer(dataDir: string): Promise<number> {
  const postmaster = await findPostmaster(join(dataDir, 'postgres'))
  const status = readFileSync(`/proc/${postmaster?.pid}/status`, 'utf8')
  return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])
}
