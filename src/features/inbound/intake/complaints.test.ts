import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Client, startApp } from '../../../../test/harness/app.ts'
import { arrive, receivingTeam, written } from '../../../../test/harness/arriving.ts'
import { startDnsServer } from '../../../../test/harness/dns-server.ts'
import { sendEmail } from '../../../../test/harness/emails.ts'
import { sharedReturnPath } from '../../../../test/harness/return-paths.ts'
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
  const secret = app.sealer.deriveKey('return-path')
  const path = sharedReturnPath({ emailId: id, domain: 'send.acme.dev' }, secret)
  return {
    id,
    path,
    /** The return path of the second recipient. */
    pathOfBob: returnPath({ emailId: id, position: 1, domain: 'send.acme.dev' }, secret),
    /** A report as it stands. */
    async report(raw: string, to = 'abuse@acme') {
      const answer = await arrive(app, Buffer.from(raw), {
        to: [to.replace('@acme', `@${acme.domain}`)],
        from: 'fbl@fbl.example',
      })
      await app.runDueJobs()
      return answer
    },
    metrics: async () => (await app.server.inject({ method: 'GET', url: '/metrics' })).body,
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

const golden = (name: string) =>
  readFileSync(new URL(`../../../mail/report/golden/${name}.eml`, import.meta.url), 'utf8')

/** The return path in the golden files, also within base64. */
const WRITTEN_PATH = /bounce\+[a-z2-7]{45}@bounces\.example\.com/g

function about(path: string, name: string): string {
  const inBase64 = (text: string) =>
    text.replace(/"payload": "([^"]+)"/, (_, payload) => {
      const mail = Buffer.from(payload, 'base64').toString().replace(WRITTEN_PATH, path)
      return `"payload": "${Buffer.from(mail).toString('base64')}"`
    })
  return inBase64(golden(name).replace(WRITTEN_PATH, path)).replace(/\r?\n/g, '\r\n')
}

describe('a report in which nobody is named finds the one who complained', () => {
  test.each([
    'arf-outlook-anonymous',
    'arf-outlook-anonymous-report',
    'arf-yahoo',
    'arf-comcast',
    'arf-mailru',
    'arf-xarf',
    'arf-xarf-3',
    'arf-broken-off',
  ])('%s, at the address of a feedback loop and at that of CFBL', async (name) => {
    const { report, pathOfBob, complaints, suppressed, metrics } = await start()

    await report(about(pathOfBob, name))
    await report(about(pathOfBob, name), pathOfBob)

    expect(await complaints()).toEqual([['bob@example.net']])
    expect(await suppressed()).toEqual(['bob@example.net'])
    expect(await metrics()).toContain('postwren_complaints_total{outcome="matched",provider="other"} 2')
  })

  test('of nobody if what leads back is forged, another email’s, or too far behind in ten megabytes', async () => {
    const { report, pathOfBob, path, complaints, suppressed, metrics } = await start()
    const [local = '', domain = ''] = pathOfBob.split('@')
    const forged = `${local.slice(0, -2)}${local.at(-2) === 'a' ? 'b' : 'a'}${local.at(-1)}@${domain}`
    const [header = '', ...parts] = about(pathOfBob, 'arf-comcast').split('--_----vfbl\r\n')

    await report(about(forged, 'arf-outlook-anonymous'))
    await report(about(path.replace(/\+[0-9a-f]{8}/, '+00000000'), 'arf-yahoo'))
    await report(
      [header, `Content-Type: text/plain\r\n\r\n${'a'.repeat(70)}\r\n`.padEnd(100, '\r\n'), ...parts]
        .join('--_----vfbl\r\n')
        .replace('a'.repeat(70), `${'a'.repeat(70)}\r\n`.repeat(145_000)),
    )

    expect(await complaints()).toEqual([])
    expect(await suppressed()).toEqual([])
    const counted = await metrics()
    expect(counted).toContain('postwren_complaints_total{outcome="no_email",provider="unknown"} 2')
    expect(counted).toContain('postwren_complaints_total{outcome="too_large",provider="unknown"} 1')
  })
})
