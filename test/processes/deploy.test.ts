import { expect, test, vi } from 'vitest'
import { startDnsServer } from '../harness/dns-server.ts'
import { silence } from '../harness/mail-conversation.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { relaying } from '../harness/relaying.ts'
import { dataFolder, Service } from '../harness/service.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

vi.setConfig({ testTimeout: 90_000 })

const QUICK = ['ada', 'bob', 'cy', 'dan'].map((name) => `${name}@sink.dev`)
const SLOW = 'slow@sink.dev'

/**
 * An email about a topic is each recipient's own message. Four of them are taken at once; the fifth comes in to the last byte, and
 * then the other side falls silent.
 */
async function sendToOneThatHangs() {
  const dns = await startDnsServer()
  const relay = await startMailServer()
  const dataDir = dataFolder({ isDurable: true })
  const settings = {
    ...relaying(relay, dns),
    POSTWREN_API_KEY: 're_key_of_the_deploy_test',
  }
  const start = () => Service.start({ dataDir, settings })
  const service = await start()
  await verifiedDomain(service, dns, 'acme.dev')
  const { body: topic } = await service.call('POST', '/topics', { name: 'News' })
  const hanging = new Set<number>()
  relay.react(({ step, line, connection }) => {
    if (step === 'RCPT' && line.includes(SLOW)) hanging.add(connection)
    return step === 'MESSAGE' && hanging.has(connection) ? silence : undefined
  })
  const email = { from: 'a@acme.dev', to: [...QUICK, SLOW], subject: 'x', text: 'x', topic_id: topic.id }
  const { body } = await service.call('POST', '/emails', email)
  const settled = async () => {
    const reply = await service.call('GET', `/emails/${body.id}`)
    return reply.body.deliveries.filter(({ state }: { state: string }) => state === 'delivered').length
  }
  await service.stored(async () => relay.seen.length === 5 && (await settled()) === 4)
  /** A new process, and a relay that answers. Comes back once the last recipient has its mail. */
  const startAgain = async () => {
    relay.react(() => undefined)
    const next = await start()
    await next.stored(async () => {
      const { deliveries } = (await next.call('GET', `/emails/${body.id}`)).body
      return deliveries.every(
        ({ state, replies }: { state: string; replies: unknown[] }) => state === 'delivered' || replies.length > 0,
      )
    })
  }
  return { relay, service, startAgain }
}

const timesOf = (relay: Awaited<ReturnType<typeof startMailServer>>, address: string) =>
  relay.seen.filter(({ to }) => to.includes(address)).length

test('kill -9 while one recipient hangs: those who have the mail do not get it again', async () => {
  const { relay, service, startAgain } = await sendToOneThatHangs()

  await service.kill()
  await startAgain()

  expect(QUICK.map((address) => timesOf(relay, address))).toEqual([1, 1, 1, 1])
  expect(timesOf(relay, SLOW)).toBe(2)
})

test('a deploy while one recipient hangs: those who have the mail do not get it again', async () => {
  const { relay, service, startAgain } = await sendToOneThatHangs()

  service.signal('SIGTERM')
  expect(await service.ended()).toBe(0)
  await startAgain()

  expect(QUICK.map((address) => timesOf(relay, address))).toEqual([1, 1, 1, 1])
  // Nobody knows whether it has arrived, so it is tried again by the ladder.
  expect(timesOf(relay, SLOW)).toBe(1)
})
