import { execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findBinaries } from '../../src/adapters/postgres/binaries.ts'
import { commandFor, type RunAs, runAsForNewCluster } from '../../src/adapters/postgres/run-as.ts'
import { atEndOf } from './program.ts'
import { eventually, temporaryFolder } from './service.ts'

/** A PostgreSQL that somebody else runs, reached over TCP with a password. */
export interface PostgresServer {
  /** The address of an empty database. */
  readonly url: string
  start(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
}

interface Installation {
  readonly name: string
  readonly initdb: string
  readonly postgres: string
}

const DEBIAN = '/usr/lib/postgresql'

/** The PostgreSQL that we bring along, and those that are installed on this machine. */
export function installedServers(): Installation[] {
  const { initdb, postgres, major } = findBinaries()
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).filter((version) => Number(version) >= 14) : []
  return [
    { name: `embedded ${major}`, initdb, postgres },
    ...versions.map((version) => {
      const bin = join(DEBIAN, version, 'bin')
      return { name: `installed ${version}`, initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
    }),
  ]
}

/** Starts one on a free port, with these settings of its own. It is killed in the end, and its folder removed. */
export async function startPostgresServer(
  installation = installedServers()[0]!,
  more: Record<string, string> = {},
): Promise<PostgresServer> {
  const folder = join(temporaryFolder(), 'cluster')
  const port = await freePort()
  const runAs = await makeCluster(folder, installation)
  const own = Object.entries(more).map(([name, value]) => `${name}=${value}`)
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`, ...own]
  const args = ['-D', folder, ...settings.flatMap((setting) => ['-c', setting])]
  const urlOf = (database: string) => `postgres://owner:secret@127.0.0.1:${port}/${database}`
  let kill = async () => {}
  atEndOf('test', () => kill())

  const server: PostgresServer = {
    url: urlOf('mail'),
    async start() {
      const { file, args: words, options } = commandFor(runAs, installation.postgres, args)
      const launch = () => {
        const child = spawn(file, words, { ...options, stdio: 'ignore' })
        const closed = once(child, 'close')
        kill = async () => {
          child.kill('SIGKILL')
          await closed
        }
        return child
      }
      let child = launch()
      await eventually(async () => {
        // As long as a process of one that was killed is there, the next one does not start.
        if (child.exitCode !== null) child = launch()
        return canConnect(urlOf('postgres'))
      })
    },
    kill: () => kill(),
  }
  await server.start()
  const admin = new pg.Client(urlOf('postgres'))
  await admin.connect()
  await admin.query('create database mail')
  await admin.end()
  return server
}

async function makeCluster(folder: string, { initdb }: Installation): Promise<RunAs> {
  mkdirSync(folder, { mode: 0o700 })
  const runAs = await runAsForNewCluster(join(folder, '..'), findBinaries())
  if (runAs.kind === 'user') chownSync(folder, runAs.user.uid, runAs.user.gid)
  const passwordFile = join(folder, '..', 'password')
  writeFileSync(passwordFile, 'secret\n')
  const words = [`--pgdata=${folder}`, '--username=owner', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const { file, args, options } = commandFor(runAs, initdb, [...words, '--no-sync', '--encoding=UTF8', '--locale=C'])
  await promisify(execFile)(file, args, options)
  appendFileSync(join(folder, 'postgresql.conf'), 'fsync = off\n')
  return runAs
}

export async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

/** Below those that the system hands out, to servers and to each connection: until it is used nobody else gets it by chance. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
