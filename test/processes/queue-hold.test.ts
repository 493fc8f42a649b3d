import { expect, test } from 'vitest'
import { sql } from '../../src/kernel/db/sql.ts'
import { startDnsServer } from '../harness/dns-server.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { postwren } from '../harness/program.ts'
import { relaying } from '../harness/relaying.ts'
import { dataFolder, Service } from '../harness/service.ts'
import { databaseOf } from '../harness/service-database.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

const MAILS = 30

test('held mail survives kill -9 and a start, others are sent meanwhile, and each held one leaves once after the release', async () => {
  const [dns, relay] = [await startDnsServer(), await startMailServer()]
  const settings = { ...relaying(relay, dns), POSTWREN_HOSTNAME: 'mx.postwren.test' }
  const dataDir = dataFolder()
  const environment = { POSTWREN_DATA_DIR: dataDir }
  const queue = async (...words: string[]) => {
    const { code, stdout, complaints } = await postwren(['queue', ...words], { environment })
    expect([code, complaints]).toEqual([0, []])
    return stdout
  }
  const mailTo = (service: Service, domain: string, from = 0) =>
    Promise.all(
      Array.from({ length: MAILS }, (_, index) =>
        service.call('POST', '/emails', {
          ...{ from: 'a@acme.dev', to: `u${from + index}@${domain}`, subject: 'Hi', text: 'x' },
        }),
      ),
    )
  // Before there is a process, so that the first one knows of it from the beginning.
  await queue('hold', '--domain', 'held.dev', '--reason', 'Listed.')
  const first = await Service.start({ dataDir, settings })
  await verifiedDomain(first, dns, 'acme.dev')
  const accepted = await mailTo(first, 'held.dev')
  first.signal('SIGKILL')
  await first.ended()

  const second = await Service.start({ dataDir, settings })
  accepted.push(...(await mailTo(second, 'held.dev', MAILS)))
  await mailTo(second, 'free.dev')
  await relay.until(() => relay.messages.filter(({ to }) => to[0]!.endsWith('@free.dev')).length === MAILS)
  const db = await databaseOf(second)
  const waiting = sql`
    select from deliveries where recipient like 'u%@held.dev' and hold_id is not null and attempts = 0 and holder is null`
  await second.stored(async () => (await db.query(waiting)).length === 2 * MAILS)
  const sentEarly = relay.messages.filter(({ to }) => /^u\d+@held\.dev$/.test(to[0]!)).length
  const metrics = await (await fetch(`${second.url}/metrics`)).text()
  const listed = await queue('holds')
  await queue('release', '--domain', 'held.dev')
  await second.stored(async () => (await db.query(sql`select from deliveries where state = 'waiting'`)).length === 0)

  expect(accepted.every(({ status }) => status === 200)).toBe(true)
  expect(sentEarly).toBe(0)
  expect(second.stderr + second.stdout).toContain('some mail is on hold')
  expect(metrics).toMatch(/^postwren_deliveries\{kind="single",state="on_hold"\} [1-9]/m)
  expect(listed).toMatch(/^--domain held\.dev .* Listed\.$/m)
  const recipients = relay.messages.map(({ to }) => to[0]!).filter((to) => /^u\d+@held\.dev$/.test(to))
  expect(recipients).toHaveLength(2 * MAILS)
  expect(new Set(recipients).size).toBe(2 * MAILS)
})
