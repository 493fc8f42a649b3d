import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { Service } from '../harness/service.ts'

const MAILS = 24
const CONVERSATIONS = 6

/** A message of a conversation. It names the first one, whichever of them comes first. */
const mailTo = (to: string, n: number) => ({
  from: `Ada <ada${n}@elsewhere.example>`,
  to,
  subject: `Message ${n}`,
  text: 'Hi',
  messageId: `<${n}@elsewhere.example>`,
  references: [`<conversation-${n % CONVERSATIONS}@elsewhere.example>`],
})

test('mail that comes to two processes at once is filed once, and counted right while threads are changed on both', async () => {
  const first = await Service.start()
  const second = await Service.start({ dataDir: first.dataDir })
  const services = [first, second]
  const capabilities = { sending: 'enabled', receiving: 'enabled' }
  await first.call('POST', '/domains', { name: 'acme.example', dkim: 'ed25519', capabilities })
  const address = 'desk@acme.example'
  const { body: inbox } = await first.call('POST', '/inboxes', { email_address: address })
  const path = `/inboxes/${inbox.id}`
  const everything = '/threads?limit=100&folders=inbox,archive,spam,sent,trash'
  const statuses: number[] = []

  const receive = async (n: number) => {
    const port = services[n % 2]!.smtpPort
    await createTransport({ host: '127.0.0.1', port, tls: { rejectUnauthorized: false } }).sendMail(mailTo(address, n))
    const other = services[(n + 1) % 2]!
    const { status, body } = await other.call('GET', path + everything)
    statuses.push(status)
    const changes = body.data.map(async (thread: { id: string }, index: number) => {
      const change = { read: (n + index) % 2 === 0, folder: ['inbox', 'archive'][(n + index) % 2] }
      statuses.push((await services[index % 2]!.call('PATCH', `${path}/threads/${thread.id}`, change)).status)
    })
    await Promise.all(changes)
  }
  await Promise.all(Array.from({ length: MAILS }, (_, n) => receive(n)))

  type Listed = { email_count: number; read: boolean; folder: string }
  const listed = async (): Promise<Listed[]> => (await second.call('GET', path + everything)).body.data
  const emails = async () => (await listed()).reduce((sum, { email_count }) => sum + email_count, 0)
  await first.stored(async () => (await emails()) >= MAILS, 20_000)
  const threads = await listed()
  expect(await emails()).toBe(MAILS)
  expect(threads).toHaveLength(CONVERSATIONS)
  expect((await first.call('GET', path)).body.unread).toBe(
    threads.filter(({ read, folder }) => !read && folder === 'inbox').length,
  )
  expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([])
})
