import { expect, test } from 'vitest'
import { Service } from '../harness/service.ts'
import { TestClient } from '../harness/smtp-client.ts'

const CAP = 10
/** At each of two processes; each second one hangs up right behind a message, before it could read the answer. */
const CONNECTIONS = 24
const MESSAGES = 8

const LINES = ['From: support@acme.dev', 'To: ada@example.com', 'Subject: Hello', '', 'Hi']

test('many connections at two processes submit by SMTP with a key for ten emails an hour: ten are accepted', async () => {
  const settings = { POSTWREN_RATE_LIMIT: '0' }
  const first = await Service.start({ settings })
  const services = [first, await Service.start({ dataDir: first.dataDir, settings })]
  const policy = { max_emails_per_hour: CAP }
  const { body: key } = await first.call('POST', '/api-keys', { name: 'Agent', policy })
  const login = Buffer.from(`\0resend\0${key.token}`).toString('base64')
  const answers: string[] = []

  const loggedIn = async (n: number) => {
    const client = await TestClient.ready(services[n % 2]!.smtpPort)
    expect(await client.ask(`AUTH PLAIN ${login}`)).toMatch(/^235/)
    return client
  }
  const submitAll = async (client: TestClient) => {
    for (let n = 0; n < MESSAGES; n++)
      answers.push(await client.deliver(LINES.join('\r\n'), 'support@acme.dev', 'ada@example.com'))
  }
  const submitAndHangUp = async (client: TestClient) => {
    await client.startMessage('support@acme.dev', 'ada@example.com')
    // With more behind it, which nobody is there to be answered for.
    client.socket.end(`${LINES.join('\r\n')}\r\n.\r\nMAIL FROM:<support@acme.dev>\r\n`)
    await client.rest()
  }
  const clients = await Promise.all(Array.from({ length: CONNECTIONS * 2 }, (_, n) => loggedIn(n)))
  await Promise.all(clients.map((client, n) => (n % 4 < 2 ? submitAll(client) : submitAndHangUp(client))))

  const sent = (await first.call('GET', '/emails?limit=100')).body.data
  expect(sent).toHaveLength(CAP)
  expect(answers).toHaveLength(CONNECTIONS * MESSAGES)
  expect(answers.filter((answer) => answer.startsWith('250')).length).toBeLessThanOrEqual(CAP)
  // What waits too long in a process is told to come again.
  expect(answers.filter((answer) => !/^(?:250|4\d\d|550 5\.7\.1 .*max_emails_per_hour)/s.test(answer))).toEqual([])
  const { used } = (await first.call('GET', `/api-keys/${key.id}/activity`)).body
  expect(used).toEqual({ emails_last_hour: CAP, emails_last_day: CAP })
  // The cap is that of the key, whatever it comes by.
  const email = { from: 'support@acme.dev', to: 'ada@example.com', subject: 'Hello', text: 'Hi' }
  for (const service of services)
    expect((await service.call('POST', '/emails', email, key.token)).body.name).toBe('policy_refused')
}, 240_000)
