import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { atEnd } from './cleanup.ts'
import { greeted } from './peers/readiness.ts'
import { freePort } from './service.ts'
import type { Sink } from './sink.ts'

const PROGRAMS = ['/usr/sbin/postfix', '/usr/sbin/smtp-source', '/usr/sbin/opendkim', '/usr/bin/openssl']
const SESSIONS = 64

/** Null when Postfix can be measured here, else why it cannot. */
export function missingForPostfix(): string | null {
  const missing = PROGRAMS.filter((program) => !existsSync(program))
  if (missing.length > 0) return `${missing.join(', ')} not installed (Debian: postfix, opendkim)`
  return userInfo().uid === 0 ? null : 'Postfix can only be started by root'
}

export interface Postfix {
  readonly port: number
  /** That of its master, which starts all others. */
  readonly pid: number
  /** From the command to the first greeting. */
  readonly startMs: number
  /** Messages a second from the first connection to the last arrival at the sink. */
  rate(messages: number, bytes: number): Promise<number>
  stop(): Promise<void>
}

/** A Postfix of our own, in a folder of its own; the one of the system is left alone. */
export async function startPostfix(
  sink: Pick<Sink, 'port' | 'reset' | 'reached'> | null,
  options: { isSigned: boolean },
): Promise<Postfix> {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-postfix-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const milter = options.isSigned ? await startOpenDkim(folder) : null
  configure(folder, { port, relayPort: sink?.port ?? null, milterPort: milter?.port ?? null })
  const begin = performance.now()
  execFileSync('/usr/sbin/postfix', ['-c', join(folder, 'etc'), 'start'], { stdio: 'ignore' })
  const stop = atEnd(async () => {
    execFileSync('/usr/sbin/postfix', ['-c', join(folder, 'etc'), 'stop'], { stdio: 'ignore' })
    await milter?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  await greeted(port)
  const startMs = performance.now() - begin
  const pid = Number.parseInt(readFileSync(join(folder, 'queue', 'pid', 'master.pid'), 'utf8'), 10)
  return {
    port,
    pid,
    startMs,
    async rate(messages, bytes) {
      if (!sink) return sourceRate(port, messages, bytes)
      sink.reset()
      const begin = performance.now()
      const arrived = sink.reached(messages)
      await sourceRate(port, messages, bytes)
      return messages / (((await arrived) - begin) / 1_000)
    },
    stop,
  }
}

/** Hands messages over with Postfix's own client and tells how many a second were taken. Connections are kept open, as ours are. */
export async function sourceRate(port: number, messages: number, bytes: number): Promise<number> {
  const load = ['-d', '-s', String(SESSIONS), '-m', String(messages), '-l', String(bytes)]
  const envelope = ['-f', 'a@bench.dev', '-t', 'b@sink.dev']
  const begin = performance.now()
  const source = spawn('/usr/sbin/smtp-source', [...load, ...envelope, `127.0.0.1:${port}`], { stdio: 'ignore' })
  const [code] = await once(source, 'exit')
  if (code !== 0) throw new Error(`smtp-source ended with ${code}`)
  return messages / ((performance.now() - begin) / 1_000)
}

/** Without a relay mail stays in the queue. */
function configure(folder: string, ports: { port: number; relayPort: number | null; milterPort: number | null }) {
  for (const name of ['etc', 'queue', 'data']) mkdirSync(join(folder, name))
  const uid = Number(execFileSync('id', ['-u', 'postfix']).toString())
  const gid = Number(execFileSync('id', ['-g', 'postfix']).toString())
  chownSync(join(folder, 'data'), uid, gid)
  const milter = ports.milterPort
    ? [`smtpd_milters = inet:127.0.0.1:${ports.milterPort}`, 'milter_default_action = tempfail']
    : []
  const main = [
    'compatibility_level = 3.6',
    `queue_directory = ${folder}/queue`,
    `data_directory = ${folder}/data`,
    `maillog_file = ${folder}/log`,
    `maillog_file_prefixes = ${folder}`,
    'myhostname = bench.dev',
    'mydestination =',
    'mynetworks = 127.0.0.0/8',
    'inet_interfaces = 127.0.0.1',
    ports.relayPort === null ? 'defer_transports = smtp relay' : `relayhost = [127.0.0.1]:${ports.relayPort}`,
    'smtpd_recipient_restrictions = permit_mynetworks, reject',
    'smtpd_client_connection_count_limit = 0',
    'smtpd_tls_security_level = none',
    'smtp_tls_security_level = none',
    'smtp_destination_concurrency_limit = 20',
    'in_flow_delay = 0',
    ...milter,
  ]
  writeFileSync(join(folder, 'etc', 'main.cf'), `${main.join('\n')}\n`)
  const services = [
    `127.0.0.1:${ports.port} inet n - n - 100 smtpd`,
    'postlog unix-dgram n - n - 1 postlogd',
    'pickup unix n - n 60 1 pickup',
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'bounce unix - - n - 0 bounce',
    'defer unix - - n - 0 bounce',
    'trace unix - - n - 0 bounce',
    'smtp unix - - n - - smtp',
    'relay unix - - n - - smtp',
    'error unix - - n - - error',
    'retry unix - - n - - error',
    'anvil unix - - n - 1 anvil',
    'scache unix - - n - 1 scache',
    'proxymap unix - - n - - proxymap',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
  ]
  writeFileSync(join(folder, 'etc', 'master.cf'), `${services.join('\n')}\n`)
}

async function startOpenDkim(folder: string) {
  const port = await freePort()
  const key = join(folder, 'dkim.pem')
  execFileSync('/usr/bin/openssl', ['genrsa', '-out', key, '2048'], { stdio: 'ignore' })
  const settings = [
    'Syslog no',
    'Mode s',
    'Domain bench.dev',
    'Selector bench',
    `KeyFile ${key}`,
    'Canonicalization relaxed/relaxed',
    `Socket inet:${port}@127.0.0.1`,
    'RequireSafeKeys no',
    'InternalHosts 127.0.0.1',
  ]
  const file = join(folder, 'opendkim.conf')
  writeFileSync(file, `${settings.join('\n')}\n`)
  const child = spawn('/usr/sbin/opendkim', ['-f', '-x', file], { stdio: 'ignore' })
  const stop = atEnd(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  })
  return { port, stop }
}
