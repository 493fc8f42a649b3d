import { expect, onTestFinished, test, vi } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { arrive, receivingTeam } from '../../../../test/harness/arriving.ts'
import { startDnsServer } from '../../../../test/harness/dns-server.ts'
import { ThreadPool } from '../../../platform/worker-threads/thread-pool.ts'
import { MAX_SMALL_BYTES } from '../queries.ts'

const LARGE = 2 * MAX_SMALL_BYTES
const SIGNATURE = 'DKIM-Signature: v=1; a=rsa-sha256; d=x.example; s=key; h=from; bh=AAAA; b=AAAA\r\n'

const header = (piece: string, bytes: number) =>
  Buffer.concat([Buffer.from('From: a@x.example\r\n'), Buffer.alloc(bytes, piece), Buffer.from('\r\n\r\nHi\r\n')])
const body = (type: string, piece: string, bytes: number) =>
  Buffer.concat([
    Buffer.from(`From: a@x.example\r\n${SIGNATURE}Content-Type: ${type}\r\n\r\n`),
    Buffer.alloc(bytes, piece),
  ])

// Of some megabytes each of these took from two seconds to minutes on the main thread.
const HOSTILE: [string, Buffer][] = [
  ['signatures', header(SIGNATURE, LARGE)],
  ['folded lines', header(' y\r\n', LARGE)],
  ['authors', header(`From: ${'a@b,'.repeat(10_000)}\r\n`, 250_000)],
  ['a line of spaces', body('text/plain', ' ', LARGE)],
  ['lines that flow', body('text/plain; format=flowed', 'a \r\n', LARGE)],
  ['references to images', body('text/html', 'cid:a ', LARGE)],
]

test('hostile mail is taken in, read, checked and shown by threads, while everybody else is served', async () => {
  const dns = await startDnsServer()
  const app = await startApp({ POSTWREN_DNS_SERVERS: dns.address })
  const { client, domain } = await receivingTeam(app, 'acme')
  const run = vi.spyOn(ThreadPool.prototype, 'run')
  onTestFinished(() => run.mockRestore())
  const ids: string[] = []

  for (const [, raw] of HOSTILE) ids.push((await arrive(app, raw, { to: [`parts@${domain}`] })).message)
  await app.runDueJobs()
  const replies = await Promise.all(
    ids.map((id) =>
      app.server.inject({
        url: `/emails/receiving/${id}?html_format=data_uri`,
        headers: { authorization: `Bearer ${client.token}` },
      }),
    ),
  )

  expect(replies.map(({ statusCode }) => statusCode)).toEqual(HOSTILE.map(() => 200))
  expect(replies.map((reply) => reply.json().authentication?.dmarc.result)).not.toContain('pass')
  expect(replies[3]!.json().text).toHaveLength(LARGE)
  expect(replies[5]!.json().html).toHaveLength(LARGE)
  const inThreads = (name: string) => run.mock.calls.filter(([work]) => work.name === name).length
  // On the main thread only headers of 16 kB are read, of three of them.
  expect([inThreads('header'), inThreads('read'), inThreads('check')]).toEqual([3, HOSTILE.length, HOSTILE.length])
  expect(inThreads('present')).toBe(HOSTILE.filter(([, raw]) => raw.length > MAX_SMALL_BYTES).length)
})
