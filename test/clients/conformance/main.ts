import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { atEnd, cleanUp } from '../../../bench/cleanup.ts'
import { API_KEY, freePort, startService } from '../../../bench/service.ts'
import { readOptions } from '../../../src/app/commands/conformance/options.ts'
import { runSuite } from '../../../src/app/commands/conformance/run.ts'
import { isKept, linesOf, type Report } from '../../../src/app/commands/conformance/suite/report.ts'
import { ownVersion, PEERS, startPeer } from './peers.ts'
import { sectionOf, type Tried, withSection } from './table.ts'

const PAGE = 'docs/compatibility.md'

const HELP = `npm run conformance [-- --write]

The suite of the contract against Postwren and against public servers of the same kind, on this machine. Ends with 1 if Postwren does not keep it.

  --write  puts the table into ${PAGE}`

async function tryPostwren(): Promise<Tried> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postwren-conformance-'))
  atEnd(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const smtpPort = await freePort()
  const settings = {
    POSTWREN_SMTP_PORT: String(smtpPort),
    // So that a burst can reach it.
    POSTWREN_RATE_LIMIT: '150',
    POSTWREN_HOSTNAME: 'mail.inbox.example',
  }
  const { url, stop } = await startService(dataDir, 'postwren serve', settings)
  postwren(dataDir, ['team', 'create', 'Neighbour'])
  const otherKey = postwren(dataDir, ['key', 'create', 'First', '--team', 'Neighbour'])
  const flags = { smtp: `127.0.0.1:${smtpPort}`, 'receive-at': 'desk@inbox.example', 'other-key': otherKey }
  const report = await suite(url, flags)
  await stop()
  return { name: 'Postwren', version: ownVersion(), about: 'this project', report }
}

/** What a command prints. */
function postwren(dataDir: string, words: readonly string[]): string {
  const environment = { ...process.env, POSTWREN_DATA_DIR: dataDir }
  return execFileSync(process.execPath, ['bin/postwren.mjs', ...words], { env: environment, encoding: 'utf8' }).trim()
}

async function suite(url: string, flags: Record<string, string> = {}): Promise<Report> {
  const { signal } = new AbortController()
  return runSuite(readOptions([url], { key: API_KEY, rate: '0', ...flags }, {}), { stop: signal, end: signal })
}

async function main() {
  const options = { write: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const
  const { values } = parseArgs({ options })
  if (values.help) return console.log(HELP)
  const tried: Tried[] = []
  console.error('Postwren …')
  tried.push(await tryPostwren())
  for (const peer of PEERS) {
    console.error(`${peer.name} ${peer.version} …`)
    const { name, version, about } = peer
    tried.push({ name, version, about, report: await suite(await startPeer(peer)) })
  }
  const [own] = tried
  // The table has figures only.
  console.error(linesOf(own!.report).join('\n'))
  if (!isKept(own!.report)) process.exitCode = 1
  const section = sectionOf(tried)
  console.log(section)
  if (values.write) writeFileSync(PAGE, withSection(readFileSync(PAGE, 'utf8'), section))
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => cleanUp().finally(() => process.exit(130)))
try {
  await main()
} finally {
  await cleanUp()
}
