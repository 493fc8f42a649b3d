import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { readableLog } from '../../../test/harness/log.ts'
import type { Sender } from '../emails/delivery/transport/sender.ts'
import { sendSystemMail, systemMailBody } from './mail.ts'

const LINK = 'https://mail.example.com/dashboard#sign-in=secret'
const MAIL = { about: null, to: 'ada@example.org', subject: 'Sign in', link: LINK, text: 'Hello', html: '<p>Hello</p>' }

/** A server that takes everything, and what it was given. */
function takingSender() {
  const sent: { from: string; message: string }[] = []
  const sender: Sender = {
    async send(_destination, envelope, message) {
      sent.push({ from: String(envelope.from), message: message.toString() })
      return envelope.to.map(() => ({ kind: 'delivered', reply: '250 Ok' }))
    },
    pausedUntil: () => null,
    close: async () => {},
  }
  return { sender, sent }
}

const RELAY = { POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://127.0.0.1:1', POSTWREN_HOSTNAME: 'mx.acme.dev' }

test('mail of the installation leaves though no domain is verified, and tells the log nothing', async () => {
  const { sender, sent } = takingSender()
  const { log, text } = readableLog()
  const app = await startApp(RELAY, { sender, log })

  await sendSystemMail(app.services, MAIL)
  await app.deliverDue()

  expect(sent).toHaveLength(1)
  expect(sent[0]!.from).toMatch(/@mx\.acme\.dev$/)
  expect(sent[0]!.message).toMatch(/^From: Postwren <no-reply@mx\.acme\.dev>\r$/m)
  expect(sent[0]!.message).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(text()).not.toContain('secret')
})

test('mail of a team without a domain still does not', async () => {
  const { sender, sent } = takingSender()
  const app = await startApp(RELAY, { sender })
  const { team } = await app.as('acme')

  await sendSystemMail({ ...app.services, systemTeam: async () => team }, MAIL)
  await app.deliverDue()

  expect(sent).toEqual([])
})

test('while nothing leaves the log says where it leads', async () => {
  const { log, saying } = readableLog()
  const app = await startApp({}, { log })

  await sendSystemMail(app.services, MAIL)

  expect(saying('people: Sign in')).toEqual([{ email: 'ada@example.org', link: LINK }])
})

test('what people have written is text in the letter', () => {
  const { text, html } = systemMailBody({ lines: ['Join <b>Acme</b>'], act: 'Join', link: LINK, foot: 'Bye' })

  expect(text).toBe(`Join <b>Acme</b>\n\nJoin: ${LINK}\n\nBye`)
  expect(html).toContain('Join &lt;b&gt;Acme&lt;/b&gt;')
})
