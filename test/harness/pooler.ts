import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBinaries } from '../../src/adapters/postgres/binaries.ts'
import { commandFor, runAsForNewCluster } from '../../src/adapters/postgres/run-as.ts'
import { canConnect, freePort } from './postgres-server.ts'
import { atEndOf } from './program.ts'
import { eventually, temporaryFolder } from './service.ts'

/** Null where it is not installed. */
export const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync)

export interface PoolerOptions {
  readonly mode: 'session' | 'transaction' | 'statement'
  readonly settings?: Record<string, string>
}

/** A PgBouncer in front of this database, killed in the end. Returns the URL of the database behind it. */
export async function startPooler(url: string, { mode, settings = {} }: PoolerOptions): Promise<string> {
  const { hostname, port, pathname, username, password } = new URL(url)
  const listenPort = await freePort()
  const own = {
    listen_addr: '127.0.0.1',
    listen_port: String(listenPort),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: mode,
    ...settings,
  }
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}`)
  const target = `host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`
  const pooled = `postgres://owner:secret@127.0.0.1:${listenPort}/mail`
  await runPooler(['[databases]', `mail = ${target}`, '[pgbouncer]', ...lines, ''].join('\n'), {
    folder: temporaryFolder(),
    url: pooled,
  })
  return pooled
}

export interface Pooler {
  start(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
}

/** Runs it with this configuration until the end, and waits until this URL can be used. */
export async function runPooler(
  configuration: string,
  { folder, url }: { folder: string; url: string },
): Promise<Pooler> {
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, configuration, { mode: 0o644 })
  // It refuses to run as root, as PostgreSQL does.
  const runAs = await runAsForNewCluster(folder, findBinaries())
  const { file: program, args, options } = commandFor(runAs, PGBOUNCER!, [file])
  let kill = async () => {}
  atEndOf('test', () => kill())
  const pooler: Pooler = {
    async start() {
      const child = spawn(program, args, { ...options, stdio: 'ignore' })
      const closed = once(child, 'close')
      kill = async () => {
        child.kill('SIGKILL')
        await closed
      }
      await eventually(() => canConnect(url))
    },
    kill: () => kill(),
  }
  await pooler.start()
  return pooler
}
