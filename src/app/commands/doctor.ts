import type { Command } from './command.ts'
import { type Finding, runChecks } from './doctor/finding.ts'

export const MARKS = { ok: '✓', warning: '!', fault: '✗' } as const

/** A silent server is a finding and no reason to wait: each of them has less time than this for each of its steps. */
export const CHECK_TIMEOUT_MS = 20_000

export const doctor: Command = {
  name: 'doctor',
  usage: '[--json]',
  summary: 'Check settings, database, ports, TLS, relay, DNS and disk, and report what to fix. Changes nothing',
  options: { json: { type: 'boolean' } },
  words: 0,
  async run({ config, environment, flags, print }) {
    // With an HTTP client and mail servers behind them: half of what all other commands together would have to load.
    const { CHECKS } = await import('./doctor/checks.ts')
    const { findings, hasEnded } = await runChecks(CHECKS, { config, environment }, CHECK_TIMEOUT_MS)
    const faults = countOf(findings, 'fault')
    if (flags.json) print(JSON.stringify({ ok: faults === 0, checks: findings }))
    else {
      for (const { status, message } of findings) print(`${MARKS[status]} ${message}`)
      print(verdictOf(findings))
    }
    if (faults > 0) process.exitCode = 1
    // What still waits for somebody would keep the process from ending.
    if (!hasEnded) process.exit()
  },
}

const countOf = (findings: readonly Finding[], status: Finding['status']) =>
  findings.filter((finding) => finding.status === status).length

/** What remains to be done, in one line. */
export function verdictOf(findings: readonly Finding[]): string {
  const [faults, warnings] = [countOf(findings, 'fault'), countOf(findings, 'warning')]
  if (faults + warnings === 0) return 'All is well.'
  const attention = faults > 0 ? [`${faults} ${faults === 1 ? 'problem' : 'problems'} found`] : []
  const warned = warnings > 0 ? [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`] : []
  return `${[...attention, ...warned].join(', ')}.`
}
