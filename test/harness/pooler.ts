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
  const folder = temporaryFolder()
  const listenPort = await freePort()
  const own = {
    listen_addr: '127.0.0.1',
    listen_port: String(listenPort),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: mode,
    ...settings,
  }
  const file = join(folder, 'pgbouncer.ini')
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}`)
  const target = `host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`
  writeFileSync(file, ['[databases]', `mail = ${target}`, '[pgbouncer]', ...lines, ''].join('\n'), { mode: 0o644 })

  // It refuses to run as root, as PostgreSQL does.
  const runAs = await runAsForNewCluster(folder, findBinaries())
  const { file: program, args, options } = commandFor(runAs, PGBOUNCER!, [file])
  const child = spawn(program, args, { ...options, stdio: 'ignore' })
  const closed = once(child, 'close')
  atEndOf('test', async () => {
    child.kill('SIGKILL')
    await closed
  })
  const pooled = `postgres://owner:secret@127.0.0.1:${listenPort}/mail`
  await eventually(() => canConnect(pooled))
  return pooled
}
