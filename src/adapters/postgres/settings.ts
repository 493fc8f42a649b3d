import type { Config } from '../../platform/settings/config.ts'
import { connectionBudget } from '../../platform/settings/connection-budget.ts'

/** The port is only a part of the socket's name. Fixed, because PGPORT in the environment would change it for clients. */
export const PORT = 5432

const MIN_CONNECTIONS = 100

type Needs = Pick<Config, 'PROCESSES' | 'ROLES' | 'DATABASE_URL' | 'DATABASE_CONNECTIONS'>

/** That should be free: for so many processes, and for those that take their place during an upgrade. */
export const connectionsNeeded = (needs: Needs) => 2 * connectionBudget(needs).max * needs.PROCESSES

/** So many are free also while the processes run. */
export function connectionSettings(needs: Needs) {
  const wanted = 1.5 * connectionsNeeded(needs)
  return { max_connections: String(Math.max(MIN_CONNECTIONS, wanted)) }
}

/**
 * What differs from PostgreSQL's defaults, or must not depend on them. On the command line and not in postgresql.conf, so
 * that an upgrade of Postwren reaches old clusters too. With these an idle server takes 30 MB (PSS, ten processes, one of
 * them for our lease); 32 MB of buffers instead of 128 would save 8 MB of that, io_method=sync 1 MB.
 */
const SETTINGS: Record<string, string> = {
  // No TCP at all: two checkouts never fight over a port, and trust needs no password.
  listen_addresses: '',
  port: String(PORT),
  unix_socket_permissions: '0700',

  // initdb picks these two by what the machine allows at that moment; 128 MB is address space until pages are used.
  shared_buffers: '128MB',
  max_connections: String(MIN_CONNECTIONS),

  // An accepted email survives a power cut. Said here because everything else relies on it.
  synchronous_commit: 'on',

  // The first change of a page after a checkpoint writes the whole page: where mail is rare, that is most of what is written (72 kB for the first email
  // after it, 5 kB for the next ones). So checkpoints are rarer than every 5 minutes, and such pages are compressed, to a third. How long a start after
  // a crash may take is up to max_wal_size, which stays at 1 GB.
  checkpoint_timeout: '15min',
  wal_compression: 'pglz',

  // Our queries are short: compiling one takes longer than running it.
  jit: 'off',

  // A plan made while a table was small stays until statistics say that it has grown, which in a new installation is seconds.
  autovacuum_naptime: '5s',
  // The data is on a solid disk or in memory: looking a row up by its key costs little more than reading the next one.
  random_page_cost: '1.1',

  TimeZone: 'UTC',
  log_timezone: 'UTC',
  // `log` ranks between error and fatal: failed statements are reported by whoever sent them, and may quote mail.
  log_min_messages: 'log',
  log_checkpoints: 'off',
}

export function serverArguments(clusterFolder: string, socketFolder: string, extra: Record<string, string>): string[] {
  // A list, so a comma or a space in the path needs the quotes.
  const socketFolders = `"${socketFolder.replaceAll('"', '""')}"`
  const settings = { ...SETTINGS, unix_socket_directories: socketFolders, ...extra }
  return ['-D', clusterFolder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}
