import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from '../cleanup.ts'
import { missingForPostfix, startPostfix } from '../postfix.ts'
import { freePort } from '../service.ts'
import { installPackages } from './npm-package.ts'
import type { Peer } from './peer.ts'
import { startProgram } from './program.ts'
import { greeted } from './readiness.ts'

const HARAKA = '3.3.4'

/** As a plug-in of its own says it: whoever connects may relay, everything goes to one place, and no name server is asked. */
const harakaPlugin = (relayPort: number) => `
exports.hook_lookup_rdns = (next) => next(OK, 'localhost')
exports.hook_connect = (next, connection) => { connection.relaying = true; next() }
exports.hook_get_mx = (next) => next(OK, { priority: 0, exchange: '127.0.0.1', port: ${relayPort} })
`

export const haraka: Peer = {
  name: 'Haraka',
  guarantee: 'on disk, synced',
  async install() {
    await installPackages(`haraka-${HARAKA}`, [`Haraka@${HARAKA}`])
    return { version: HARAKA }
  },
  async start({ sink }) {
    const folder = await installPackages(`haraka-${HARAKA}`, [`Haraka@${HARAKA}`])
    const port = await freePort()
    const own = mkdtempSync(join(tmpdir(), 'postwren-peer-'))
    atEnd(() => rmSync(own, { recursive: true, force: true }))
    for (const name of ['config', 'plugins', 'queue']) mkdirSync(join(own, name))
    writeFileSync(join(own, 'plugins', 'relay_to_bench.js'), harakaPlugin(sink.port))
    writeFileSync(join(own, 'config', 'plugins'), 'relay_to_bench\n')
    writeFileSync(join(own, 'config', 'me'), 'bench.dev\n')
    writeFileSync(join(own, 'config', 'smtp.ini'), `[main]\nlisten=127.0.0.1:${port}\n`)
    writeFileSync(join(own, 'config', 'outbound.ini'), 'local_mx_ok=true\nconcurrency_max=20\n')
    writeFileSync(join(own, 'config', 'log.ini'), '[main]\nlevel=warn\n')
    // Without it, it has no greeting.
    copyFileSync(join(folder, 'node_modules/Haraka/config/connection.ini'), join(own, 'config', 'connection.ini'))
    const begin = performance.now()
    const program = startProgram([process.execPath, 'node_modules/Haraka/bin/haraka', '-c', own], { cwd: folder })
    await greeted(port, program.hasEnded)
    return { ...program, startMs: performance.now() - begin, smtp: { port, credentials: null, isRelay: true } }
  },
}

const MAILDEV = '3.0.0'

/** Its relay is for a mail that somebody picks: many at once share one connection and get lost. So it only takes them. */
export const mailDev: Peer = {
  name: 'MailDev',
  guarantee: 'in memory, and in a file that is not synced',
  async install() {
    await installPackages(`maildev-${MAILDEV}`, [`maildev@${MAILDEV}`])
    return { version: MAILDEV }
  },
  async start() {
    const folder = await installPackages(`maildev-${MAILDEV}`, [`maildev@${MAILDEV}`])
    const [port, webPort] = [await freePort(), await freePort()]
    const begin = performance.now()
    const places = ['--ip', '127.0.0.1', '--smtp', String(port), '--web-ip', '127.0.0.1', '--web', String(webPort)]
    const program = startProgram(
      [process.execPath, 'node_modules/maildev/dist/bin/maildev.js', ...places, '--silent'],
      {
        cwd: folder,
      },
    )
    await greeted(port, program.hasEnded)
    return { ...program, startMs: performance.now() - begin, smtp: { port, credentials: null, isRelay: false } }
  },
}

export const postfix: Peer = {
  name: 'Postfix',
  guarantee: 'on disk, synced',
  async install() {
    const missing = missingForPostfix()
    if (missing) throw new Error(missing)
    return { version: execFileSync('/usr/sbin/postconf', ['-dh', 'mail_version']).toString().trim() }
  },
  async start({ sink }) {
    const { port, pid, startMs, stop } = await startPostfix(sink, { isSigned: false })
    return { pid, startMs, stop, smtp: { port, credentials: null, isRelay: true } }
  },
}
