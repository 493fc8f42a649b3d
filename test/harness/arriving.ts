import type { Submitter } from '../../src/features/emails/smtp/submission.ts'
import type { App, Client } from './app.ts'
import { domainNamed, freshName } from './domains.ts'

export const PEER = { id: 'peer', address: '192.0.2.1', helo: 'mx.example.net', isEncrypted: false }

export interface Written {
  readonly from?: string
  readonly to?: string
  readonly subject?: string
  /** More lines of the header. */
  readonly headers?: readonly string[]
  readonly body?: string
}

/** A message as another server hands it over. */
export function written({
  from = 'Ada <ada@example.net>',
  to = 'desk@inbox.example',
  subject = 'Hello',
  headers = [],
  body = 'Hi.\r\n',
}: Written = {}): Buffer {
  const lines = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    'Message-ID: <one@example.net>',
    'Date: Sun, 15 Nov 2026 01:20:30 +0000',
    'MIME-Version: 1.0',
    ...headers,
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** One with text, html, an inline image and an attachment. */
export const RICH = written({
  headers: ['Content-Type: multipart/mixed; boundary=outer', 'X-Trace: one', 'X-Trace: two'],
  body: [
    '--outer',
    'Content-Type: multipart/related; boundary=inner',
    '',
    '--inner',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>Grüße</p><img src="cid:logo@example.net"><img src="cid:nobody">',
    '--inner',
    'Content-Type: image/png',
    'Content-ID: <logo@example.net>',
    'Content-Disposition: inline; filename=logo.png',
    'Content-Transfer-Encoding: base64',
    '',
    'iVBORw0KGgo=',
    '--inner--',
    '--outer',
    'Content-Type: text/plain; name="notes.txt"',
    'Content-Disposition: attachment; filename="notes.txt"',
    'Content-Transfer-Encoding: base64',
    '',
    'aGVsbG8=',
    '--outer--',
    '',
  ].join('\r\n'),
})

/** Hands a message over, as the SMTP listener does, and gives the answer. */
export const arrive = (
  app: App,
  raw: Buffer,
  { to = ['desk@inbox.example'], from = 'ada@example.net' }: { to?: readonly string[]; from?: string } = {},
) => app.handler.take({ raw, from, recipients: to, peer: PEER, user: null })

/** Logs in with the key of a client and submits, as the SMTP listener does. */
export async function submit(app: App, client: Pick<Client, 'token'>, raw: Buffer, recipients: readonly string[]) {
  const user = (await app.handler.authenticate({ username: 'resend', password: client.token }, PEER)) as Submitter
  return app.handler.take({ raw, from: 'me@example.com', recipients, peer: PEER, user })
}

/** Gives the client's team a domain that receives. */
export async function receivingDomain(client: Client): Promise<{ client: Client; domain: string }> {
  const domain = freshName()
  await client.post('/domains', { ...domainNamed(domain), capabilities: { sending: 'enabled', receiving: 'enabled' } })
  return { client, domain }
}

export const receivingTeam = async (app: App, name: string) => receivingDomain(await app.as(name))
