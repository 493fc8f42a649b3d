import { describe, expect, test } from 'vitest'
import type { App } from '../../../../test/harness/app.ts'
import { startReceiver } from '../../../../test/harness/receiver.ts'
import { TestClient } from '../../../../test/harness/smtp-client.ts'
import { startListener } from '../../../../test/harness/smtp-listener.ts'
import { type StagedSandbox, startStage } from '../../../../test/harness/staged.ts'
import { addWebhook } from '../../../../test/harness/webhooks.ts'
import { isRefusal } from '../../../adapters/smtp-server/handler.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { RETRY_SCHEDULE_SECONDS } from '../../webhooks/delivery/retry.ts'
import { writeScenario } from './actions.ts'

/** Every attempt of the webhooks of a sandbox, oldest first: its status and how long it took. */
const attemptsOf = ({ db }: App, box: StagedSandbox) =>
  db.query<{ status: number | null; ms: number }>(sql`
    select http_status_code as status, duration_ms as ms from webhook_attempts where team_id = ${box.team} order by id`)

describe('webhooks of a sandbox', () => {
  test('are refused as often as the scenario says, and then heard', async () => {
    const { app, sandbox } = await startStage()
    const receiver = await startReceiver()
    const box = await sandbox()
    await addWebhook(box, receiver.url, ['topic.created'])
    await box.setScenario({
      webhooks: [
        { match: { event: 'topic.created', attempt: { at_most: 1 } }, outcome: { status: 500 } },
        { match: { endpoint: '127.0.0.1' }, outcome: { times_out: true, times: 7 } },
        { match: { attempt: { at_least: 3, at_most: 3 } }, outcome: { connection_lost: true } },
      ],
    })
    await box.post('/topics', { name: 'News', default_subscription: 'opt_in' })

    // A time-out is 15 seconds long: to wait for six of them would be longer than a test may take.
    for (const seconds of [0, ...RETRY_SCHEDULE_SECONDS]) {
      app.clock.advance(seconds)
      await app.deliverWebhooks()
    }

    expect(receiver.received).toHaveLength(1)
    const attempts = await attemptsOf(app, box)
    expect(attempts.map(({ status }) => status)).toEqual([500, ...Array(6).fill(null), 200])
    expect(attempts[1]!.ms).toBe(15_000)
  })

  test('are those of the sandbox alone', async () => {
    const { app, acme, sandbox } = await startStage()
    const receiver = await startReceiver()
    const [box, other] = [await sandbox(), await sandbox()]
    for (const client of [acme, box, other]) await addWebhook(client, receiver.url, ['topic.created'])
    await box.setScenario({ webhooks: [{ outcome: { status: 503 } }] })

    for (const client of [acme, box, other])
      await client.post('/topics', { name: 'News', default_subscription: 'opt_in' })
    await app.deliverWebhooks()

    expect(receiver.received).toHaveLength(2)
  })
})

const PEER = { id: '1', address: '127.0.0.1', helo: 'client.test', isEncrypted: false }

describe('the SMTP port', () => {
  test('refuses logins, senders and recipients of a sandbox, and nobody else', async () => {
    const { app, acme, sandbox } = await startStage()
    const [box, other] = [await sandbox(), await sandbox()]
    const logIn = async (password: string) => {
      const user = await app.handler.authenticate({ username: 'resend', password }, PEER)
      if (isRefusal(user)) throw new Error(user.message)
      return user
    }
    const users = [await logIn(box.token), await logIn(other.token), await logIn(acme.token)]
    await box.setScenario({
      smtp: { mail: {}, rcpt: { reply: '550 no such user here' }, auth: { reply: '454 4.7.0 come back' } },
    })
    const ask = async (user: (typeof users)[number] | null, recipient: string) => [
      (await app.handler.checkSender!('a@example.org', { user, peer: PEER }))?.code ?? 250,
      (await app.handler.checkRecipient(recipient, { user, peer: PEER, from: 'a@example.org' }))?.code ?? 250,
    ]

    expect(await ask(users[0]!, 'x@example.com')).toEqual([451, 550])
    expect(await ask(users[1]!, 'x@example.com')).toEqual([250, 250])
    expect(await ask(users[2]!, 'x@example.com')).toEqual([250, 250])
    expect(await ask(null, `x@${box.domain}`)).toEqual([250, 550])
    expect(await ask(null, `x@${other.domain}`)).toEqual([250, 250])
    await expect(logIn(box.token)).rejects.toThrow('come back')
    await expect(logIn(other.token)).resolves.toMatchObject({ actor: { team: other.team } })
  })

  test('refuses what is anybody’s where nothing leaves, when the first team has such a scenario', async () => {
    const { app, acme } = await startStage()
    const ask = async () => [
      (await app.handler.checkSender!('a@example.org', { user: null, peer: PEER }))?.code ?? 250,
      (await app.handler.checkRecipient('x@nobody.test', { user: null, peer: PEER, from: '' }))?.code ?? 250,
    ]
    const first = (await app.handler.authenticate({ username: 'any', password: 'thing' }, PEER)) as never as {
      actor: { team: string }
    }
    await writeScenario(app.services, first.actor.team, {
      smtp: { mail: { probability: 0 }, rcpt: { probability: 1 } },
    })
    expect(await ask()).toEqual([250, 451])
    expect((await acme.get('/scenario')).status).toBe(404)
    await writeScenario(app.services, first.actor.team, {})

    expect(await ask()).toEqual([250, 250])
  })

  test('chance at the port is the same for the same seed', async () => {
    const { app, sandbox } = await startStage()
    const story = async (seed: string) => {
      const box = await sandbox(seed)
      const user = await app.handler.authenticate({ username: 'resend', password: box.token }, PEER)
      await box.setScenario({ smtp: { rcpt: { probability: 0.5 } } })
      const codes: number[] = []
      for (let n = 0; n < 24; n++) {
        const session = { user: user as never, peer: PEER, from: 'a@example.org' }
        codes.push((await app.handler.checkRecipient('x@example.com', session))?.code ?? 250)
      }
      return codes
    }

    const [first, again, different] = [await story('seven'), await story('seven'), await story('eight')]

    expect(first).toContain(451)
    expect(first).toContain(250)
    expect(again).toEqual(first)
    expect(different).not.toEqual(first)
  })

  test('asks about senders also without a login, and holds a staged refusal against nobody', async () => {
    const { port } = await startListener({
      allowPlaintextAuth: true,
      limits: { loginDelayMs: 60_000 },
      handler: {
        checkSender: async (from) =>
          from === 'no@example.org' ? { code: 451, enhanced: '4.3.2', message: 'Not now', isStaged: true } : null,
        authenticate: async () => ({ code: 535, enhanced: '5.7.8', message: 'No', isStaged: true }),
      },
    })
    const client = await TestClient.ready(port)

    expect(await client.ask('MAIL FROM:<no@example.org>')).toBe('451 4.3.2 Not now')
    expect(await client.ask(`AUTH PLAIN ${Buffer.from('\0a\0b').toString('base64')}`)).toBe('535 5.7.8 No')
    expect(await client.ask('MAIL FROM:<yes@example.org>')).toBe('250 2.1.0 Accepted')
  })
})
