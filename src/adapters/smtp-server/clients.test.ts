import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { startListener } from '../../../test/harness/smtp-listener.ts'

const isInstalled = (program: string, ...args: string[]) => spawnSync(program, args).status === 0

async function run(program: string, args: readonly string[], input = '') {
  const child = spawn(program, args)
  child.stdin.end(input)
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return output + errors
}

test.each(['starttls', 'implicit'])('nodemailer sends and logs in, %s', async (tls) => {
  const { port, tlsPort, taken } = await startListener()
  const transport = createTransport({
    host: '127.0.0.1',
    port: tls === 'implicit' ? tlsPort : port,
    secure: tls === 'implicit',
    auth: { user: 'resend', pass: 'sesame' },
    tls: { rejectUnauthorized: false },
  })

  const sent = await transport.sendMail({
    from: 'ada@example.org',
    to: ['bob@example.com', 'žofie@example.com'],
    subject: 'Grüße',
    text: '.\n..dots\nand a last line',
    attachments: [{ filename: 'a.bin', content: Buffer.alloc(200_000, 7) }],
  })

  expect(sent.response).toBe('250 2.0.0 Queued as 1')
  expect(taken[0]).toMatchObject({
    from: 'ada@example.org',
    recipients: ['bob@example.com', 'žofie@example.com'],
    user: 'resend',
    peer: { isEncrypted: true },
  })
  expect(taken[0]!.raw.toString()).toContain('\r\n.\r\n..dots\r\nand a last line\r\n')
})

const PYTHON = `
import smtplib, ssl, sys
port = int(sys.argv[1])
with smtplib.SMTP('127.0.0.1', port, local_hostname='python.test') as client:
    client.starttls(context=ssl._create_unverified_context())
    client.login('resend', 'sesame')
    client.sendmail('ada@example.org', ['bob@example.com'], 'Subject: Python\\n\\n.\\n..dots\\n')
    client.sendmail('ada@example.org', ['用户@example.com'], 'Subject: UTF8\\n\\nHi\\n', mail_options=['SMTPUTF8'])
    print(client.has_extn('pipelining'), client.esmtp_features['size'])
    try:
        client.sendmail('ada@example.org', ['bob@example.com'], 'x' * 1100000)
    except smtplib.SMTPResponseException as refused:
        print(refused.smtp_code, refused.smtp_error.decode())
`

test.skipIf(!isInstalled('python3', '--version'))('Python sends and logs in', async () => {
  const { port, taken } = await startListener()

  const output = await run('python3', ['-', String(port)], PYTHON)

  expect(output).toBe('True 1048576\n552 5.3.4 Error: message exceeds fixed maximum message size 1048576\n')
  expect(taken.map(({ raw, recipients, user }) => [raw.toString(), recipients, user])).toEqual([
    ['Subject: Python\r\n\r\n.\r\n..dots\r\n', ['bob@example.com'], 'resend'],
    ['Subject: UTF8\r\n\r\nHi\r\n', ['用户@example.com'], 'resend'],
  ])
  expect(taken[0]!.peer.helo).toBe('python.test')
})

test.skipIf(!isInstalled('swaks', '--version'))('swaks sends, logs in, and is told when it cannot', async () => {
  const { port, taken } = await startListener({ allowPlaintextAuth: true })
  const common = ['--server', `127.0.0.1:${port}`, '--from', 'ada@example.org', '--to', 'bob@example.com']

  const plain = await run('swaks', [...common, '--ehlo', 'swaks.test'])
  const right = await run('swaks', [...common, '-a', 'LOGIN', '-au', 'resend', '-ap', 'sesame'])
  const wrong = await run('swaks', [...common, '-a', 'PLAIN', '-au', 'resend', '-ap', 'open'])

  expect(plain).toContain('<-  250 2.0.0 Queued as 1')
  expect(right).toContain('<-  250 2.0.0 Queued as 2')
  expect(wrong).toContain('<** 535 5.7.8 Authentication credentials invalid')
  expect(taken.map(({ user }) => user)).toEqual([null, 'resend'])
})
