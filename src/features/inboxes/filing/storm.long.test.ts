import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { arriveAll, inboxOf, messagesIn, receive, threadsIn } from '../../../../test/harness/filed-mail.ts'
import { wrongCounts } from '../../../../test/harness/inboxes.ts'
import { seededRandom } from '../../../../test/harness/random.ts'
import { fileNow } from './now.ts'
import { filingWorker } from './worker.ts'

// Everything that changes an inbox, at once: people, programs, mail that comes and is sent, threads that become one, labels that go. Whoever
// locks in another order than the rest ends in a deadlock, and whoever counts past the triggers is found out in the end.

test('counts are what is there, whatever happens at once', async () => {
  const app = await startApp()
  const { client, address, id } = await inboxOf(app, 'acme')
  const path = `/inboxes/${id}`
  const ids = Array.from({ length: 6 }, (_, n) => `<thread-${n}@example.net>`)
  await receive(app, address, ...ids.map((messageId, n) => ({ id: messageId, from: `a${n}@b.test` })))
  const [question] = await messagesIn(app, client, id)
  const threads = (await threadsIn(app, client, id)).map((thread) => thread.id)
  const label = async (name: string): Promise<string> => (await client.post(`${path}/labels`, { name })).body.id
  const labels = [await label('Bug'), await label('Idea'), await label('Plan')]
  const { below } = seededRandom()
  const pick = <One>(some: readonly One[]): One => some[below(some.length)]!

  const thread = () => `${path}/threads/${pick(threads)}`
  const acts = [
    () => client.patch(thread(), { read: below(2) === 0 }),
    () => client.patch(thread(), { folder: pick(['inbox', 'archive', 'spam', 'trash']) }),
    () => client.patch(thread(), { read: below(2) === 0, folder: pick(['inbox', 'archive']) }),
    () => client.delete(thread()),
    () => client.post(`${thread()}/labels`, { labels: [pick(labels)] }),
    () => client.post(`${path}/drafts`, { subject: 'Later' }),
    () => client.get(`${path}/threads?folders=inbox,archive,spam,sent,trash`),
  ]
  // Answers to one of the threads, and every third one to two of them, which makes them one.
  const letters = Array.from({ length: 12 }, (_, n) => ({
    from: `late${n}@b.test`,
    references: n % 3 === 0 ? [pick(ids), pick(ids)] : [pick(ids)],
  }))
  /** Whoever has stood in line for too long, on a busy machine, is asked to come again. */
  const reply = async () => {
    for (;;) {
      const answer = await client.post(`${path}/threads/${question!.thread}/emails/${question!.id}/reply`, {
        text: 'Sure.',
      })
      if (answer.status === 429) continue
      expect(answer.status, answer.text).toBe(200)
      return answer
    }
  }
  const others = [filingWorker(app.services), filingWorker(app.services)]

  const replies = await Promise.all([
    ...Array.from({ length: 40 }, () => pick(acts)()),
    client.delete(`${path}/labels/${labels[0]}`),
    reply(),
    ...letters.map(async (letter) => {
      await arriveAll(app, address, [letter])
      await fileNow(app.services, client.team)
      return client.get(`${path}/threads`)
    }),
    ...others.map(async (filing) => {
      await filing.runDue()
      return client.get(path)
    }),
  ])
  await Promise.all(others.map((filing) => filing.stop(60_000)))
  await app.runDueJobs()
  await app.fileMail()

  expect(replies.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
  expect(replies[41]).toMatchObject({ status: 200, body: { direction: 'outbound' } })
  expect(await wrongCounts(app, { team: client.team, id })).toEqual([])
  const messages = await messagesIn(app, client, id)
  expect(messages.filter(({ direction }) => direction === 'inbound')).toHaveLength(ids.length + letters.length)
  expect(messages.filter(({ direction }) => direction === 'outbound')).toHaveLength(1)
  // Who asks for a list waits for two seconds at most, and what they have begun to read goes on.
  await expect.poll(() => app.db.load.pooled - app.db.load.idle).toBe(0)
})
