import { freePort } from '../service.ts'
import { downloadDebianPackage, startDebianProgram } from './debian-package.ts'
import type { Peer } from './peer.ts'
import { greeted } from './readiness.ts'

interface DebianMailServer {
  readonly name: string
  readonly guarantee: string
  readonly packageName: string
  readonly users: readonly string[]
  readonly spool: string
  readonly command: string
  /** Shell, in the folder that becomes the root. */
  prepare(ports: { port: number; relayPort: number }): string
}

const peerOf = ({ name, guarantee, packageName, users, spool, command, prepare }: DebianMailServer): Peer => ({
  name,
  guarantee,
  install: () => downloadDebianPackage(packageName),
  async start({ sink }) {
    const files = await downloadDebianPackage(packageName)
    const port = await freePort()
    const begin = performance.now()
    const program = startDebianProgram(files, {
      users,
      spool,
      command,
      prepare: prepare({ port, relayPort: sink.port }),
    })
    await greeted(port, program.hasEnded).catch((error: Error) => {
      throw new Error(`${error.message}: ${program.said()}`)
    })
    return { ...program, startMs: performance.now() - begin, smtp: { port, credentials: null, isRelay: true } }
  },
})

/** It delivers each message right after it took it, over a connection of its own. */
export const exim = peerOf({
  name: 'Exim',
  guarantee: 'on disk, synced',
  packageName: 'exim4-daemon-light',
  users: ['Debian-exim'],
  spool: '/var/spool/exim4',
  command: '/usr/sbin/exim4 -bdf -q1m',
  prepare: ({ port, relayPort }) => `
mkdir -p var/log/exim4
chroot . chown Debian-exim:Debian-exim /var/spool/exim4 /var/log/exim4
cat > etc/exim4/exim4.conf <<'END'
primary_hostname = bench.dev
daemon_smtp_ports = ${port}
local_interfaces = 127.0.0.1
acl_smtp_rcpt = accept
smtp_accept_max = 200
smtp_accept_queue_per_connection = 0
host_lookup =
rfc1413_query_timeout = 0s
tls_advertise_hosts =
begin routers
relay:
  driver = manualroute
  route_list = * 127.0.0.1
  self = send
  transport = relay
begin transports
relay:
  driver = smtp
  port = ${relayPort}
  allow_localhost
begin retry
* * F,2h,1m
END`,
})

/** With its own limits it relays over one session, so those would be measured instead of it: they are raised. */
export const openSmtpd = peerOf({
  name: 'OpenSMTPD',
  guarantee: 'in a file that is not synced',
  packageName: 'opensmtpd',
  users: ['opensmtpd', 'opensmtpq'],
  spool: '/var/spool/smtpd',
  command: '/usr/sbin/smtpd -F -f /etc/smtpd.conf',
  prepare: ({ port, relayPort }) => `
mkdir -p var/lib/opensmtpd/empty
chmod 711 var/spool/smtpd
cat > etc/smtpd.conf <<'END'
listen on 127.0.0.1 port ${port}
smtp limit max-mails 1000000
mta limit max-conn-per-host 20
mta limit max-conn-per-route 20
mta limit conn-delay-relay 0
mta limit session-mail-max 100000
action "relay" relay host smtp://127.0.0.1:${relayPort}
match from any for any action "relay"
END`,
})
