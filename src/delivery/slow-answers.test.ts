import { expect, test } from 'vitest'
import { startDirect } from '../../test/harness/direct.ts'
import { readEmail, sendEmail } from '../../test/harness/emails.ts'
import { silence } from '../../test/harness/mail-conversation.ts'
import { eventually } from '../../test/harness/service.ts'

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
  await eventually(async () => (await usedBytes()) <= 16_384)

  expect(await usedBytes()).toBe(16_384)
  server.say('250 2.0.0 At last\r\n')
  await eventually(async () => (await usedBytes()) === 0)
})

test('at a stop it is written down that nobody knows whether it arrived', async () => {
  const { app, acme, server, id } = await start()
  await app.delivery.start()
  await server.until(() => server.seen.length === 1)

  await app.delivery.stop(0)

  const { states, deliveries } = await readEmail(acme, id)
  expect(states).toEqual({ 'ada@slow.dev': 'waiting' })
  expect(deliveries[0].replies[0].reply).toContain('whether it arrived is not known')
})
