import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportCommand } from '../../src/app/commands/export.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { type App, startApp } from './app.ts'
import { teamNameOf } from './commands.ts'
import { SIMPLE } from './emails.ts'
import { emptyInstallation, run, settingsOf, temporaryFolder } from './installation.ts'
import { ATTACHED, tomorrow } from './requests.ts'

/** Long enough to be packed. */
export const LETTER = `<p>${'Hello, Ada. '.repeat(30)}</p>`

/** A team with something of most kinds, and its export. */
export async function exported(
  flags: Record<string, string | boolean> = { 'with-secrets': true },
  more: Record<string, string> = {},
) {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/domains', { name: `${acme.team.slice(-12)}.example`, dkim: 'ed25519' })
  await acme.post('/webhooks', { endpoint: 'http://127.0.0.1:1/', events: ['email.sent'] })
  await acme.post('/contacts', { email: 'ada@example.com' })
  await acme.post('/contacts', { email: 'bob@example.com' })
  await acme.post('/emails', { ...SIMPLE, ...ATTACHED, html: LETTER, scheduled_at: tomorrow() })
  await app.ownerOf(acme)
  const settings = { ...(await settingsOf(app)), ...more }
  const folder = join(temporaryFolder(), 'export')
  const told = await run(exportCommand, settings, { to: folder, team: await teamNameOf(app, acme), ...flags })
  return { app, acme, settings, folder, told }
}

export const linesOf = (folder: string, name: string) =>
  readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

export const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))

export const elsewhere = (app: App) => emptyInstallation(app.clock)

export type Installation = Awaited<ReturnType<typeof elsewhere>>

export const teamsOf = ({ db }: Installation) =>
  db.query<{ id: string; name: string; suspended_reason: string | null }>(
    sql`select id, name, suspended_reason from teams order by id`,
  )

/** Another content of a file, with a manifest that agrees. */
export function rewrite(folder: string, kind: string, rows: readonly (object | string)[]) {
  const text = rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('')
  const file = join(folder, `${kind}.jsonl`)
  writeFileSync(file, text)
  const manifest = manifestOf(folder)
  const summary = manifest.kinds[kind] ?? manifest[kind]
  Object.assign(summary, {
    ...{ rows: rows.length, bytes: Buffer.byteLength(text) },
    sha256: createHash('sha256').update(text).digest('hex'),
  })
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
}

export const change = (folder: string, work: (manifest: ReturnType<typeof manifestOf>) => void) => {
  const manifest = manifestOf(folder)
  work(manifest)
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
}
