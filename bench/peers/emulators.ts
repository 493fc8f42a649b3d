import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from '../cleanup.ts'
import { freePort } from '../service.ts'
import { installPackages } from './npm-package.ts'
import type { Peer } from './peer.ts'
import { startProgram } from './program.ts'
import { answered } from './readiness.ts'

const EMULATE = '0.12.2'
const EMULATE_NODE_MAJOR = 24

/** Vercel's emulator of many services, with Resend's alone. */
export const emulate: Peer = {
  name: 'emulate',
  guarantee: 'in memory',
  async install() {
    await installEmulate()
    return { version: EMULATE }
  },
  async start() {
    const folder = await installEmulate()
    const port = await freePort()
    const begin = performance.now()
    const program = startProgram(
      [nodeFor(folder), 'node_modules/emulate/dist/index.js', 'start', '--service', 'resend', '--port', String(port)],
      { cwd: folder },
    )
    const url = `http://127.0.0.1:${port}`
    await answered(`${url}/emails/none`, program.hasEnded)
    const startMs = performance.now() - begin
    // It answers 5,000 requests of a key and no more: a round gets a key of its own.
    return { ...program, startMs, http: { url: `${url}/emails`, keyOf: (round) => `re_round_${round}` } }
  },
}

const installEmulate = () => installPackages(`emulate-${EMULATE}`, [`emulate@${EMULATE}`, ...newerNode()])

/** It needs a newer Node than this project does. */
const newerNode = () => (isNodeNewEnough() ? [] : [`node-${process.platform}-${process.arch}@${EMULATE_NODE_MAJOR}`])

const isNodeNewEnough = () => Number.parseInt(process.versions.node, 10) >= EMULATE_NODE_MAJOR

const nodeFor = (folder: string) =>
  isNodeNewEnough()
    ? process.execPath
    : join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')

const RESEND_LOCAL = '0.0.7'

/** A Next.js application on SQLite. */
export const resendLocal: Peer = {
  name: 'resend-local',
  guarantee: 'on disk (SQLite, synced)',
  async install() {
    await installPackages(`resend-local-${RESEND_LOCAL}`, [`resend-local@${RESEND_LOCAL}`])
    return { version: RESEND_LOCAL }
  },
  async start() {
    const folder = await installPackages(`resend-local-${RESEND_LOCAL}`, [`resend-local@${RESEND_LOCAL}`])
    const cwd = join(folder, 'node_modules', 'resend-local', 'dist', 'app')
    const own = mkdtempSync(join(tmpdir(), 'postwren-peer-'))
    atEnd(() => rmSync(own, { recursive: true, force: true }))
    const database = join(own, 'emails.sqlite')
    copyFileSync(join(cwd, 'resend-local.sqlite'), database)
    const port = await freePort()
    const begin = performance.now()
    const program = startProgram([process.execPath, 'server.js'], {
      cwd,
      settings: { PORT: String(port), HOSTNAME: '127.0.0.1', DATABASE_URL: `file:${database}` },
    })
    const url = `http://127.0.0.1:${port}`
    await answered(`${url}/emails/none`, program.hasEnded)
    const startMs = performance.now() - begin
    return { ...program, startMs, http: { url: `${url}/emails`, keyOf: () => 're_any' } }
  },
}
