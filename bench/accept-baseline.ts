import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { BenchEmail } from './email.ts'

/** The rows of one accepted email in one commit, written as plainly as possible. */
const statement = (team: string, { from, to, subject, html, text }: BenchEmail) => `
  with email as (
    insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    values ('${team}', gen_random_uuid(), '<bench@bench.dev>', '${from}', '["${to}"]', '${subject}', 'sent', now())
    returning team_id, id),
  body as (insert into email_bodies (team_id, email_id, html, text) select team_id, id, '${html}', '${text}' from email),
  delivery as (
    insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at)
    select team_id, id, 0, '${to}', now(), now() + interval '3 days' from email)
  insert into outbox (team_id, id, type, data, about, created_at)
  select team_id, gen_random_uuid(), 'email.sent', json_build_object('email_id', id, 'from', '${from}'), id, now() from email`

export interface Clients {
  readonly clients: number
  readonly seconds: number
}

/** Emails a second that the database takes when each has a commit of its own: with pgbench, or else with the bare driver. */
export function baselineRate(connection: pg.ClientConfig, team: string, email: BenchEmail, load: Clients) {
  const text = statement(team, email)
  return hasPgbench() ? pgbenchRate(connection, text, load) : driverRate(connection, text, load)
}

export function hasPgbench(): boolean {
  try {
    execFileSync('pgbench', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function pgbenchRate(connection: pg.ClientConfig, text: string, { clients, seconds }: Clients): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-pgbench-'))
  const file = join(folder, 'accept.sql')
  writeFileSync(file, `${text.replace(/\s*\n\s*/g, ' ')};\n`)
  const args = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '2', '-T', String(seconds), '-f', file]
  const where = [
    '-h',
    connection.host!,
    '-p',
    String(connection.port ?? 5432),
    '-U',
    connection.user!,
    connection.database!,
  ]
  try {
    const said = execFileSync('pgbench', [...args, ...where], { stdio: ['ignore', 'pipe', 'ignore'] }).toString()
    return Number(/tps = ([\d.]+)/.exec(said)![1])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function driverRate(connection: pg.ClientConfig, text: string, { clients, seconds }: Clients): Promise<number> {
  const pool = new pg.Pool({ ...connection, max: clients })
  const begin = performance.now()
  const deadline = begin + seconds * 1_000
  let written = 0
  const write = async () => {
    const client = await pool.connect()
    while (performance.now() < deadline) {
      await client.query({ name: 'accept', text })
      written++
    }
    client.release()
  }
  await Promise.all(Array.from({ length: clients }, write))
  const rate = written / ((performance.now() - begin) / 1_000)
  await pool.end()
  return rate
}
