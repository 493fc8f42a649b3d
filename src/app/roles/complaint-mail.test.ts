import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test } from 'vitest'
import { startDirect } from '../../../test/harness/direct.ts'
import { bounceMail } from '../../features/sandboxes/simulation/other-side/bounce.ts'
import { complaintMail } from '../../features/sandboxes/simulation/other-side/complaint.ts'
import { headerOf } from '../../features/sandboxes/simulation/other-side/report-mail.ts'
import { createSmtp } from './smtp.ts'

const NOBODY = 'nobody@other.example'

/** An email that left for two recipients over SMTP, and what the server of the second can answer to our listener. */
async function start() {
  const { app, acme, dns, server, from } = await startDirect({}, { POSTWREN_SMTP_PORT: '0' })
  const smtp = createSmtp({ ...app.services, config: { ...app.config, DATA_DIR: app.folder, SMTP_HOST: '127.0.0.1' } })
  await smtp.start()
  onTestFinished(() => smtp.stop(0))
  dns.set('one.dev', { MX: [{ exchange: 'mx.one.dev', preference: 10 }] })
  dns.set('mx.one.dev', { A: ['127.0.0.1'] })
  const email = { from, to: ['ada@one.dev', 'bob@one.dev'], subject: 'Hello', text: 'Hi.' }
  const { id } = (await acme.post('/emails', email)).body
  await app.deliverDue()
  const mail = server.messages.find(({ to }) => to.includes('bob@one.dev'))!
  const header = headerOf(mail.bytes)
  const [, complaints = ''] = /\r\nCFBL-Address: ([^;]+);/.exec(header.toString().replace(/\r\n[ \t]+/g, ' ')) ?? []
  const transport = createTransport({
    ...{ host: '127.0.0.1', port: smtp.addresses[0]!.port },
    tls: { rejectUnauthorized: false },
  })
  const about = { header, recipient: 'bob@one.dev', returnPath: NOBODY, date: app.clock.now(), seed: 'report' }
  const send = async (raw: Buffer, to: string) => {
    const { response } = await transport.sendMail({ raw, envelope: { from: '', to: [to] } })
    await app.runDueJobs()
    return response
  }
  return {
    complaints,
    returnPath: mail.from,
    bounce: (to: string) => send(bounceMail(about, '550 5.1.1 no such user'), to),
    complain: (to: string) => send(complaintMail(about), to),
    send,
    happened: async () =>
      (await acme.events())
        .filter(({ type }) => type === 'email.complained' || type === 'email.bounced')
        .map(({ type, data }) => [type, data.email_id === id, data.to]),
    suppressed: async () =>
      (await acme.get('/suppressions')).body.data.map(({ email, origin }: { email: string; origin: string }) => [
        email,
        origin,
      ]),
    metrics: async () => (await app.server.inject({ method: 'GET', url: '/metrics' })).body,
  }
}

test('a complaint to the address in the header counts once for the recipient whose mail it was', async () => {
  const { complaints, returnPath, complain, happened, suppressed, metrics } = await start()

  expect(complaints).toMatch(/^complaint\+/)
  expect(complaints.split('@')[1]).toBe(returnPath.split('@')[1])
  expect(await complain(complaints)).toMatch(/^250 /)
  expect(await complain(complaints.toUpperCase())).toMatch(/^250 /)

  expect(await happened()).toEqual([['email.complained', true, ['bob@one.dev']]])
  expect(await suppressed()).toEqual([['bob@one.dev', 'complaint']])
  expect(await metrics()).toContain('postwren_complaints_total{outcome="matched",provider="other"} 2')
})

test('a bounce to the address for complaints is taken and changes nothing, nor does an ordinary mail', async () => {
  const { complaints, bounce, send, happened, suppressed } = await start()

  expect(await bounce(complaints)).toMatch(/^250 /)
  expect(await send(Buffer.from('From: bob@one.dev\r\nSubject: Stop\r\n\r\nStop.\r\n'), complaints)).toMatch(/^250 /)

  expect(await happened()).toEqual([])
  expect(await suppressed()).toEqual([])
})

test('the address for complaints cannot be made into the return path', async () => {
  const { complaints, bounce, happened } = await start()

  await expect(bounce(complaints.replace('complaint+', 'bounce+'))).rejects.toMatchObject({ responseCode: 550 })

  expect(await happened()).toEqual([])
})

test('mail that has left before says its return path in the header: that takes complaints as ever, and bounces', async () => {
  const { returnPath, complain, bounce, happened } = await start()

  await complain(returnPath)
  await bounce(returnPath)

  expect(await happened()).toEqual([
    ['email.complained', true, ['bob@one.dev']],
    ['email.bounced', true, ['bob@one.dev']],
  ])
})
