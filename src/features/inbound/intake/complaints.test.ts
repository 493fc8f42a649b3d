import { describe, expect, test } from 'vitest'
import { type Client, startApp } from '../../../../test/harness/app.ts'
import { arrive, receivingTeam, written } from '../../../../test/harness/arriving.ts'
import { startDnsServer } from '../../../../test/harness/dns-server.ts'
import { sendEmail } from '../../../../test/harness/emails.ts'
import { returnPath } from '../../../mail/return-path.ts'

const ADDRESSES = ['ada@example.net', 'bob@example.net']

/** A team with an email that was delivered, its address for complaints, and a provider whose mail passes DMARC. */
async function start() {
  const dns = await startDnsServer()
  dns.set('example.net', { TXT: [['v=spf1 ip4:192.0.2.1 -all']] })
  dns.set('_dmarc.example.net', { TXT: [['v=DMARC1; p=reject']] })
  const app = await startApp({ POSTWREN_DNS_SERVERS: dns.address })
  const acme = await receivingTeam(app, 'acme')
  const globex = await receivingTeam(app, 'globex')
  const id = await sendEmail(acme.client, { to: ADDRESSES })
  await app.deliverDue()
  const { message_id: messageId } = (await acme.client.get(`/emails/${id}`)).body
  const path = returnPath({ emailId: id, domain: 'send.acme.dev' }, app.sealer.deriveKey('return-path'))
  return {
    id,
    path,
    acme: acme.client,
    globex: globex.client,
    messageId: messageId ?? `<${id}@acme.dev>`,
    async complain(to: 'acme' | 'globex', { from = 'reports@fbl.example', ...about }: Complaint) {
      const { domain } = to === 'acme' ? acme : globex
      const answer = await arrive(app, complaint({ from, ...about }), { to: [`abuse@${domain}`], from })
      await app.runDueJobs()
      return answer
    },
    complaints: async () =>
      (await acme.client.events()).filter(({ type }) => type === 'email.complained').map(({ data }) => data.to),
    suppressed: async () =>
      (await acme.client.get('/suppressions')).body.data.map(({ email }: { email: string }) => email),
  }
}

interface Complaint {
  readonly from?: string
  readonly about?: string
  readonly feedback?: readonly string[]
  readonly original?: readonly string[]
}

const complaint = ({ from = '', about = 'ada@example.net', feedback = [], original = [] }: Complaint) =>
  written({
    from,
    subject: 'Complaint',
    headers: ['Content-Type: multipart/report; report-type=feedback-report; boundary=b'],
    body: [
      '--b',
      'Content-Type: text/plain',
      '',
      'Somebody does not want this.',
      '--b',
      'Content-Type: message/feedback-report',
      '',
      'Feedback-Type: abuse',
      'Version: 1',
      `Original-Rcpt-To: ${about}`,
      ...feedback,
      '',
      '--b',
      'Content-Type: message/rfc822',
      '',
      'From: hello@acme.dev',
      ...original,
      'Subject: Hello',
      '',
      'Hi.',
      '--b--',
      '',
    ].join('\r\n'),
  })

const received = async (client: Client) => (await client.get('/emails/receiving')).body.data.length

describe('a complaint to an address of a receiving domain', () => {
  test('finds its email by Original-Mail-From, and is received as mail, too', async () => {
    const { complain, path, complaints, suppressed, acme } = await start()

    await complain('acme', { feedback: [`Original-Mail-From: <${path}>`] })

    expect(await complaints()).toEqual([['ada@example.net']])
    expect(await suppressed()).toEqual(['ada@example.net'])
    expect(await received(acme)).toBe(1)
  })

  test('finds its email by the return path of the mail inside, for whichever team it came to', async () => {
    const { complain, path, complaints, suppressed } = await start()

    await complain('globex', { original: [`Return-Path: <${path}>`] })
    await complain('globex', { original: [`Return-Path: <${path}>`] })

    expect(await complaints()).toEqual([['ada@example.net']])
    expect(await suppressed()).toEqual(['ada@example.net'])
  })

  test('is told about by its Message-ID, and suppresses only when the provider of the recipient is proven to say so', async () => {
    const { complain, messageId, complaints, suppressed } = await start()
    const original = [`Message-ID: ${messageId}`]

    await complain('acme', { original })
    await complain('acme', { from: 'eve@example.net', original })
    expect(await complaints()).toEqual([['ada@example.net']])
    expect(await suppressed()).toEqual([])

    await complain('acme', { from: 'abuse@example.net', original })
    expect(await complaints()).toEqual([['ada@example.net']])
    expect(await suppressed()).toEqual(['ada@example.net'])
  })

  test('that proves nothing is mail and nothing else', async () => {
    const { complain, messageId, path, complaints, suppressed, acme, globex } = await start()
    const from = 'abuse@example.net'
    const forged = path.replace(/-.{20}@/, '-0123456789abcdef0123@')

    // The Message-ID of an email of another team, and of none; a return path that we did not sign; somebody whom it did not go to.
    await complain('globex', { from, original: [`Message-ID: ${messageId}`] })
    await complain('acme', { from, original: ['Message-ID: <0197c3a0-5b1e-7c44-9d2f-3a6b8c9d0e1f@acme.dev>'] })
    await complain('acme', { from, original: [`Return-Path: <${forged}>`] })
    await complain('acme', { from, about: 'eve@example.net', feedback: [`Original-Mail-From: <${path}>`] })

    expect(await complaints()).toEqual([])
    expect(await suppressed()).toEqual([])
    expect([await received(acme), await received(globex)]).toEqual([3, 1])
  })
})
