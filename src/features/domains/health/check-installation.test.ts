import { describe, expect, onTestFinished, test } from 'vitest'
import { MAIL_HOST, startAppWithDns } from '../../../../test/harness/domains.ts'
import { mailsTo } from '../../../../test/harness/emails.ts'
import { operatorOf } from '../../../../test/harness/operators.ts'
import { startReceiver, verify } from '../../../../test/harness/receiver.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { Services } from '../../services.ts'
import { checkInstallation } from './check-installation.ts'
import { changeMail } from './installation-change.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const LISTS = Array.from({ length: 10 }, (_, n) => `list${n}.example`)

/** An installation that mail leaves from directly, whose address has no name yet, with an operator and a program of theirs. */
async function start(settings: Record<string, string> = {}) {
  const receiver = await startReceiver()
  const app = await startAppWithDns({
    ...{ POSTWREN_DELIVERY: 'direct', POSTWREN_SOURCE_ADDRESS: '93.184.215.40', POSTWREN_BLOCKLISTS: LISTS.join() },
    ...{ POSTWREN_OPERATOR_WEBHOOK: receiver.url, POSTWREN_OPERATOR_WEBHOOK_SECRET: SECRET },
    ...settings,
  })
  const forget = async () => void (await app.db.query(sql`delete from installation_health`))
  await forget()
  onTestFinished(forget)
  await app.db.query(sql`update users set is_operator = false`)
  const operator = await operatorOf(app)
  const { email } = (await operator.get('/account')).body
  const run = (services: Partial<Services> = {}) =>
    checkInstallation.run({}, { ...app.services, ...services, signal: new AbortController().signal })
  return {
    ...{ app, receiver, email, run },
    mend() {
      app.dns.set('40.215.184.93.in-addr.arpa', { PTR: [MAIL_HOST] })
      app.dns.set(MAIL_HOST, { A: ['93.184.215.40'] })
    },
    list: (...zones: readonly string[]) => {
      for (const zone of zones) app.dns.set(`40.215.184.93.${zone}`, { A: ['127.0.0.2'] })
    },
    /** An hour later. */
    async later() {
      app.clock.advance(3_601)
      await run()
    },
    subjects: async () => (await mailsTo(app, email)).map(({ subject }) => subject),
  }
}

describe('operators are told by mail what of the installation has changed', () => {
  test('once when it breaks, and once when it is right again', async () => {
    const { app, email, run, mend, list, later, subjects } = await start()

    await run()
    await later()
    expect(await subjects()).toEqual([`${MAIL_HOST}: 1 new problem`])
    mend()
    list('list7.example')
    await later()
    await later()

    expect(await subjects()).toEqual([`${MAIL_HOST}: 1 new problem`, `${MAIL_HOST}: 1 new problem, 1 problem resolved`])
    const text = (await mailsTo(app, email))[1]!.text
    expect(text).toContain('Problem: 93.184.215.40 is on list7.example.')
    expect(text).toContain(`Resolved: 93.184.215.40 is ${MAIL_HOST}, in both directions.`)
    expect(text).toContain('1 open problem of this installation.')
  })

  test('in one mail, however much has broken', async () => {
    const { app, email, run, list, subjects } = await start()
    list(...LISTS)

    await run()

    expect(await subjects()).toEqual([`${MAIL_HOST}: 11 new problems`])
    expect((await mailsTo(app, email))[0]!.text.match(/^Problem: /gm)).toHaveLength(11)
  })

  test('once also when two processes look at the same time', async () => {
    const { app, run, subjects } = await start()

    await Promise.all([run(), run(), run()])

    expect(await subjects()).toEqual([`${MAIL_HOST}: 1 new problem`])
    const posts = await app.db.query(sql`select from jobs where name = 'domains.post-installation-change'`)
    expect(posts).toHaveLength(1)
  })

  test('or not at all: an examination that is cut off has found nothing, and the next one tells it', async () => {
    const { run, subjects } = await start()
    const cutOff = async () => {
      throw new Error('the process ended')
    }

    await expect(run({ systemTeam: cutOff })).rejects.toThrow('the process ended')
    expect(await subjects()).toEqual([])
    await run()

    expect(await subjects()).toEqual([`${MAIL_HOST}: 1 new problem`])
  })

  test('and not anew when name servers did not say meanwhile which addresses there are', async () => {
    const { app, run, later, subjects } = await start({ POSTWREN_SOURCE_ADDRESS: '' })
    app.dns.set(MAIL_HOST, { A: ['93.184.215.40'] })

    await run()
    app.dns.fault(MAIL_HOST, 'servfail')
    await later()
    app.dns.fault(MAIL_HOST, null)
    await later()

    expect(await subjects()).toEqual([`${MAIL_HOST}: 1 new problem`])
  })
})

test('a mail of which much is to be told has a bounded size', () => {
  const broken = Array.from({ length: 500 }, (_, n) => ({
    ...{ check: `blocklist:${n}`, status: 'problem' as const, message: `List ${n}.`, since: '2026-11-18T00:00:00Z' },
  }))

  const { text } = changeMail({ broken, recovered: [], problems: 500 }, { host: MAIL_HOST, link: 'https://a.example' })

  expect(text.match(/^Problem: /gm)).toHaveLength(40)
  expect(text).toContain('And 460 more')
})

test('a program of the operator is told the same, signed, under one id until it has taken it', async () => {
  const { app, receiver, run, mend, later } = await start()
  receiver.fail()

  await run()
  await app.runDueJobs()
  receiver.succeed()
  await app.after(6)
  mend()
  await later()
  await app.runDueJobs()

  const { received } = receiver
  expect(received.map(({ event }) => [event.type, event.data.broken.length, event.data.recovered.length])).toEqual([
    ['installation.changed', 1, 0],
    ['installation.changed', 1, 0],
    ['installation.changed', 0, 1],
  ])
  for (const one of received) verify(one, SECRET)
  expect(received[1]!.id).toBe(received[0]!.id)
  expect(received[2]!.id).not.toBe(received[0]!.id)
  expect(received[0]!.event.data.broken[0]).toMatchObject({ check: 'reverse_dns:93.184.215.40', status: 'problem' })
})
