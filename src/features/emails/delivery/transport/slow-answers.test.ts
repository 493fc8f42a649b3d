import { expect, test } from 'vitest'
import { ObservedList } from '../../../../../test/harness/changes.ts'
import { startDirect } from '../../../../../test/harness/direct.ts'
import { addVerifiedDomain, emptyLedger, readEmail, sendEmail, startAcme } from '../../../../../test/harness/emails.ts'
import { newId } from '../../../../../test/harness/ids.ts'
import { silence } from '../../../../../test/harness/mail-conversation.ts'
import type { DestinationResolver } from './destination-resolvers.ts'
import type { Sender } from './sender.ts'

const SILENT_AT_THE_END = { react: ({ step }: { step: string }) => (step === 'MESSAGE' ? silence : undefined) }

async function start() {
  const started = await startDirect(SILENT_AT_THE_END)
  const { acme, dns, from } = started
  dns.set('slow.dev', { A: ['127.0.0.1'] })
  const attachments = [{ filename: 'a.bin', content: Buffer.alloc(1_500_000, 'x').toString('base64') }]
  const id = await sendEmail(acme, { from, to: 'ada@slow.dev', attachments })
  return { ...started, id }
}

test('mail that waits for the answer to its final dot holds no memory', async () => {
  const { app, server } = await start()
  await app.delivery.start()
  await server.until(() => server.seen.length === 1)

  const usedBytes = async () => Number(/^postwren_delivery_memory_bytes (\d+)$/m.exec(await app.metrics.render())?.[1])
  await app.until(async () => (await usedBytes()) <= 16_384)

  expect(await usedBytes()).toBe(16_384)
  server.say('250 2.0.0 At last\r\n')
  await app.until(async () => (await usedBytes()) === 0)
})

test('at a stop it is written down that nobody knows whether it arrived', async () => {
  const { app, acme, server, id } = await start()
  await app.delivery.start()
  await server.until(() => server.seen.length === 1)

  await app.delivery.stop(0)

  const { states, deliveries } = await readEmail(acme, id)
  expect(states).toEqual({ 'ada@slow.dev': 'waiting' })
  expect(deliveries[0].replies[0].reply).toContain('it may have been delivered')
})

test('conversations that take long leave their slots to others', async () => {
  const router: DestinationResolver = {
    resolve: async (domain) => ({ kind: 'found', destination: { name: domain, hosts: [] } }),
  }
  const asked = new ObservedList<readonly string[]>()
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const sender: Sender = {
    async send(_destination, { to }, _message, { onSlow }) {
      asked.push(to)
      onSlow?.()
      await answered
      return to.map(() => ({ kind: 'delivered', reply: '250 2.0.0 Ok' }))
    },
    pausedUntil: () => null,
    close: async () => {},
  }
  const { app, acme } = await startAcme({ POSTWREN_DELIVERY: 'direct' }, { router, sender })
  await emptyLedger(app)
  const domain = `d-${newId()}.dev`
  await addVerifiedDomain(app, acme, domain)
  const mails = Array.from({ length: 40 }, (_, index) => ({
    ...{ from: `hello@${domain}`, to: `u${index}@slow.dev`, subject: 'x', text: 'x' },
  }))
  const { body } = await acme.post('/emails/batch', mails)

  await app.delivery.start()
  // A queue begins with 25 slots.
  await asked.until(() => asked.length === 40)
  answer()

  const last = body.data.at(-1).id
  await app.until(async () => (await readEmail(acme, last)).last_event === 'delivered')
})
