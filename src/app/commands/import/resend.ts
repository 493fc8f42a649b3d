import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { recordAudit } from '../../../kernel/audit/record.ts'
import { type CommandFlags, type CommandInput, OperatorError } from '../command.ts'
import { withDatabase } from '../database.ts'
import { Progress } from '../progress.ts'
import { OPERATOR, requireTeam } from '../teams.ts'
import { READERS } from './kinds.ts'
import { KINDS, type Kind, Report } from './report.ts'
import { runImport, withNeeded } from './run.ts'
import { Source } from './source.ts'
import { ImportState } from './state.ts'
import { stopOnInterrupt } from './stop-on-interrupt.ts'
import { openTarget } from './target.ts'

const BASE_URL = 'https://api.resend.com'

export async function runImportResend({ config, environment, flags, print }: CommandInput) {
  const key = String(flags['api-key'] ?? environment.RESEND_API_KEY ?? '').trim()
  if (key === '') throw new OperatorError('Missing --api-key. Or set RESEND_API_KEY, which no list of processes shows.')
  if (/[^\x21-\x7e]/.test(key)) throw new OperatorError('--api-key has characters that no API key has.')
  const baseUrl = urlOf(String(flags['base-url'] ?? BASE_URL))
  const wanted = kindsOf(flags.only)
  const isDryRun = flags['dry-run'] === true
  const stopping = stopOnInterrupt()
  try {
    await withDatabase(config, async (db) => {
      const team = await requireTeam(db, flags.team)
      const target = await openTarget(db, { config, team, isDryRun })
      const path = isDryRun ? null : String(flags.state ?? join(config.DATA_DIR, 'import-resend.json'))
      const state = ImportState.open(path, [baseUrl.href, key, team, wanted.join(), String(flags['new-ids'] ?? false)])
      const { signal } = stopping
      const wait = async (ms: number) => void (await delay(ms, undefined, { signal }))
      const source = new Source({ baseUrl, key, wait, signal })
      const report = new Report(state.progress.report)
      const progress = new Progress()
      if (state.isResumed) progress.say('Going on where the last run stopped.')
      const now = db.clock.of(team).now()
      const isNewId = flags['new-ids'] === true
      try {
        await runImport(
          { source, target, state, report, now, isNewId, onProgress: (kind, read) => progress.show(kind, read) },
          wanted,
          READERS,
        )
      } finally {
        progress.end()
      }
      if (!isDryRun) {
        const details = { from: baseUrl.host, counts: report.data.counts }
        await recordAudit(db, { team, actor: OPERATOR, action: 'team.import', objectId: team, details })
      }
      const written = {
        object: 'import',
        source: baseUrl.href,
        dry_run: isDryRun,
        requests: source.requests,
        ...report.data,
      }
      if (flags.report !== undefined) writeReport(String(flags.report), written)
      if (flags.json) print(JSON.stringify(written))
      else for (const line of report.lines({ isDryRun })) print(line)
      state.end()
    })
  } catch (error) {
    if (stopping.signal.aborted) throw new OperatorError('Stopped. Run the command again to go on from here.')
    throw error
  } finally {
    stopping.end()
  }
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new OperatorError('--base-url must be an http or https URL like https://mail.example.com.')
  return url
}

function kindsOf(given: CommandFlags[string]): Kind[] {
  if (given === undefined) return [...KINDS]
  const names = String(given)
    .split(',')
    .map((name) => name.trim())
  const unknown = names.find((name) => !KINDS.some((kind) => kind === name))
  if (unknown !== undefined)
    throw new OperatorError(`--only does not know \`${unknown}\`. Kinds are ${KINDS.join(', ')}.`)
  return withNeeded(names as Kind[])
}

function writeReport(path: string, report: object) {
  try {
    writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`)
  } catch (error) {
    throw new OperatorError(`The report cannot be written: ${(error as Error).message}`)
  }
}
