import { readFileSync } from 'node:fs'
import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test } from 'vitest'
import { freshName, publish, startAppWithDns } from '../../../test/harness/domains.ts'
import { packed } from '../../../test/harness/packed.ts'
import { sql } from '../../kernel/db/sql.ts'
import { MAX_REPORT_MAIL_BYTES } from '../../mail/domain-reports/limits.ts'
import { createSmtp } from './smtp.ts'

const GOLDEN = readFileSync(new URL('../../mail/domain-reports/golden/google.xml', import.meta.url)).toString()
const FROM = 'reports@reports.example'

/** A service that sends directly and takes mail over SMTP, with a verified domain that does not receive. */
async function start() {
  const app = await startAppWithDns({ POSTWREN_DELIVERY: 'direct', POSTWREN_SMTP_PORT: '0' })
  const smtp = createSmtp({
    ...app.services,
    config: { ...app.config, DATA_DIR: app.folder, SMTP_HOST: '127.0.0.1' },
  })
  await smtp.start()
  onTestFinished(() => smtp.stop(0))
  const acme = await app.as('acme')
  const { body: domain } = await acme.post('/domains', { name: freshName(), dkim: 'ed25519' })
  publish(app.dns, domain)
  await acme.post(`/domains/${domain.id}/verify`)
  await app.after(60)
  app.dns.set('reports.example', { TXT: [['v=spf1 ip4:127.0.0.1 -all']] })
  const begin = Math.floor(app.clock.now().getTime() / 1_000) - 86_400
  const report = GOLDEN.replaceAll('acme.example', domain.name)
    .replaceAll('1794873600', String(begin))
    .replaceAll('1794959999', String(begin + 86_399))
  const transport = createTransport({
    ...{ host: '127.0.0.1', port: smtp.addresses[0]!.port },
    tls: { rejectUnauthorized: false },
  })
  return {
    app,
    domain,
    report: packed(Buffer.from(report), { name: 'report.xml', how: 'zip', from: FROM }),
    send: (raw: Buffer, to: string) => transport.sendMail({ raw, envelope: { from: FROM, to: [to] } }),
    messages: async () => (await acme.get(`/domains/${domain.id}/reports`)).body.dmarc.messages,
  }
}

test('reports are taken over SMTP at the return path of a domain, whatever its letters, and nothing else is', async () => {
  const { app, domain, report, send, messages } = await start()

  expect((await send(report, `DMARC@Send.${domain.name.toUpperCase()}`)).response).toMatch(/^250 /)
  for (const other of [
    `dmarc@${domain.name}`,
    `postmaster@send.${domain.name}`,
    `dmarc@other.${domain.name}`,
    `tls@send.nobody.example`,
  ])
    await expect(send(report, other)).rejects.toMatchObject({ responseCode: 550 })
  await app.runDueJobs()

  expect(await messages()).toBe(424)
})

test('what is too large for a report is accepted, so that nobody tries again, and not kept', async () => {
  const { app, domain, report, send, messages } = await start()
  const large = Buffer.concat([report, Buffer.alloc(MAX_REPORT_MAIL_BYTES, 'a line of text\r\n')])

  expect((await send(large, `dmarc@send.${domain.name}`)).response).toMatch(/^250 /)
  await app.runDueJobs()

  expect(await messages()).toBe(0)
  expect(await app.db.query(sql`select id from domain_report_mails where domain_id = ${domain.id}`)).toEqual([])
})
