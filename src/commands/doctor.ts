import { systemClock } from '../platform/clock.ts'
import type { Command } from './command.ts'
import { checkDatabase } from './doctor/database.ts'
import { checkDns } from './doctor/dns.ts'
import { type Check, runChecks } from './doctor/finding.ts'
import { checkNode, checkOpenFiles } from './doctor/machine.ts'
import { checkPorts } from './doctor/ports.ts'
import { checkRelay } from './doctor/relay.ts'
import { checkSettings } from './doctor/settings.ts'
import { checkBlobStore, checkDataFolder } from './doctor/storage.ts'
import { checkCertificate } from './doctor/tls.ts'

const MARKS = { ok: '✓', warning: '!', fault: '✗' } as const

/** In the order in which they are told; they run side by side. */
const CHECKS: readonly Check[] = [
  { name: 'settings', run: checkSettings },
  { name: 'node', run: () => checkNode() },
  { name: 'open_files', run: () => checkOpenFiles() },
  { name: 'data_folder', run: checkDataFolder },
  { name: 'database', run: checkDatabase },
  { name: 'blob_store', run: checkBlobStore },
  { name: 'ports', run: checkPorts },
  { name: 'tls', run: (input) => checkCertificate(input, systemClock.now().getTime()) },
  { name: 'relay', run: checkRelay },
  { name: 'dns', run: checkDns },
]

/** A silent server is a finding and no reason to wait: each of them has less time than this for each of its steps. */
const LIMIT_MS = 20_000

export const doctor: Command = {
  name: 'doctor',
  usage: '[--json]',
  summary: 'Check settings, database, ports, TLS, relay, DNS and disk, change nothing, and say what to do',
  options: { json: { type: 'boolean' } },
  words: 0,
  async run({ config, environment, flags, print }) {
    const { findings, hasEnded } = await runChecks(CHECKS, { config, environment }, LIMIT_MS)
    const faults = findings.filter(({ status }) => status === 'fault').length
    if (flags.json) print(JSON.stringify({ ok: faults === 0, checks: findings }))
    else {
      for (const { status, message } of findings) print(`${MARKS[status]} ${message}`)
      print(faults === 0 ? 'All is well.' : `${faults} ${faults === 1 ? 'thing needs' : 'things need'} your attention.`)
    }
    if (faults > 0) process.exitCode = 1
    // What still waits for somebody would keep the process from ending.
    if (!hasEnded) process.exit()
  },
}
