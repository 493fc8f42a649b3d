import { expect, test } from 'vitest'
import type { App } from '../../../../test/harness/app.ts'
import { ObservedList } from '../../../../test/harness/changes.ts'
import { runCommand } from '../../../../test/harness/commands.ts'
import { freshDatabase } from '../../../../test/harness/database.ts'
import { startDirect } from '../../../../test/harness/direct.ts'
import { sendEmail } from '../../../../test/harness/emails.ts'
import type { WatchFilter, WatchNotice } from '../../../features/emails/delivery/outcomes/attempt-watches.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { linesOf, linesOfSkipped } from './attempt-lines.ts'
import { followAttempts } from './follow-attempts.ts'
import { trace } from './trace.ts'

async function start() {
  const direct = await startDirect()
  const { app, dns, server } = direct
  for (const domain of ['sink.dev', 'other.dev']) dns.set(domain, { A: ['127.0.0.1'] })
  server.react(({ step, line }) =>
    step === 'RCPT' && line.includes('gone@') ? '550 5.1.1 \x1b[2J No such user' : undefined,
  )
  await app.startWorkers()
  await app.until(async () => {
    const nodes = await app.db.query(sql`select from nodes where 'attempt_watches' = any (watches)`)
    return nodes.length > 0
  })
  return direct
}

/** Follows until it is stopped; begun when this process has said that it tells. */
async function follow(app: App, filter: WatchFilter) {
  const notices = new ObservedList<WatchNotice>()
  const stopping = new AbortController()
  const connection = await freshDatabase()
  const ended = followAttempts({ db: app.db, connection }, filter, {
    signal: stopping.signal,
    onNotice: (notice) => void notices.push(notice),
  })
  await notices.reached(1)
  const attempts = () => notices.flatMap((notice) => (notice.object === 'attempt' ? [notice] : []))
  return {
    attempts,
    reached: (count: number) => notices.until(() => attempts().length >= count),
    async stop() {
      stopping.abort()
      await ended
    },
  }
}

test('attempts are told as they happen, with what was said, to whom asks for them', async () => {
  const { app, acme, from } = await start()
  const all = await follow(app, {})
  const failed = await follow(app, { isFailOnly: true, domain: 'sink.dev' })

  await sendEmail(acme, { from, to: ['ada@sink.dev', 'gone@sink.dev', 'gone@other.dev'] })
  await all.reached(3)
  await failed.reached(1)
  const told = all.attempts()
  const [bounce] = failed.attempts()
  await all.stop()
  await failed.stop()

  expect(told.map(({ outcome, recipient }) => `${outcome} ${recipient}`).sort()).toEqual([
    'bounced gone@other.dev',
    'bounced gone@sink.dev',
    'delivered ada@sink.dev',
  ])
  expect(failed.attempts()).toHaveLength(1)
  expect(bounce).toMatchObject({ recipient: 'gone@sink.dev', suppressed: true })
  expect(bounce!.dialogue).toContain('RCPT TO:<gone@sink.dev>')
  const lines = linesOf(bounce!)
  expect(lines[0]).toMatch(/^\S+Z bounced gone@sink\.dev \(attempt 1, \d+ ms\)$/)
  expect(lines).toContainEqual(expect.stringMatching(/^ {4}\d+ < 550 5\.1\.1 +\[2J No such user$/))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none must reach the terminal
  expect(lines.join('')).not.toMatch(/[\x00-\x1f]/)
  expect(await app.db.query(sql`select from attempt_watches`)).toEqual([])
})

test('an email and a team can be followed alone', async () => {
  const { app, acme, from } = await start()
  const id = await sendEmail(acme, { from, to: 'ada@sink.dev', scheduled_at: new Date(Date.now() + 3_600_000) })
  const own = await follow(app, { email: id })
  const team = await follow(app, { team: acme.team })
  await sendEmail(acme, { from, to: 'bob@sink.dev' })
  await team.reached(1)
  await own.stop()
  await team.stop()

  expect(team.attempts()).toMatchObject([{ recipient: 'bob@sink.dev' }])
  expect(own.attempts()).toEqual([])
})

test('what could not be told is said', () => {
  expect(linesOfSkipped({ object: 'skipped', node: 3, records: 40 })[0]).toContain('40 more attempts of node 3')
})

test.each(['', ' ', 'two words'])('a domain that is none is one line: `%s`', async (domain) => {
  await expect(runCommand(trace, [], { domain })).rejects.toThrow(
    `--domain must be a domain, a provider or the name of a mail server, not \`${domain}\`.`,
  )
})

test('a wrong id is one line', async () => {
  await expect(runCommand(trace, [], { email: 'x\x1b' })).rejects.toThrow(
    '--email must be the id of an email, not `x `.',
  )
})
