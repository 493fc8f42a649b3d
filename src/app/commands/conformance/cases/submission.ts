import { isIP } from 'node:net'
import type { Case, Group } from '../suite/case.ts'
import type { CaseRun, Fixture, Json } from '../suite/case-run.ts'
import { type Conversation, converse, type MailServer, Refused } from '../suite/smtp.ts'

// Sending by SMTP, with the key as the password. Only where somebody says which mail server belongs to the API.

const USER = 'resend'

const isLocal = ({ host }: MailServer) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

function serverOf(trial: CaseRun): MailServer {
  return trial.world.options.smtp ?? trial.skip('no mail server is known: see --smtp')
}

/** A conversation that could log in. No key goes to another machine in the clear. */
async function opened(trial: CaseRun, run: (conversation: Conversation, able: string) => Promise<void>) {
  const server = serverOf(trial)
  await converse(server, trial.world.options.timeoutMs, async (conversation) => {
    let able = await conversation.greet()
    if (/^250[- ]STARTTLS$/im.test(able)) {
      await conversation.encrypt({ isLocal: isLocal(server) })
      able = await conversation.greet()
    }
    if (!/^250[- ]AUTH /im.test(able)) trial.skip('the mail server takes no logins')
    if (!conversation.isEncrypted && !isLocal(server)) trial.skip('the mail server would have the key in the clear')
    await run(conversation, able)
  })
}

/** What it says where another answer is expected; null: it agrees. */
async function refusalOf(act: Promise<unknown>): Promise<string | null> {
  try {
    await act
    return null
  } catch (error) {
    if (error instanceof Refused) return error.reply
    throw error
  }
}

const messageOf = (
  trial: CaseRun,
  { subject, to, headers = [] }: { subject: string; to: string; headers?: string[] },
) =>
  [
    ...[`From: ${trial.from}`, `To: ${to}`, `Subject: ${subject}`, 'MIME-Version: 1.0'],
    ...['Content-Type: text/plain; charset=utf-8', 'X-Conformance: kept', ...headers, '', 'Sent by a test.'],
  ].join('\r\n')

const senderOf = (trial: CaseRun) => /<([^>]+)>/.exec(trial.from)?.[1] ?? trial.from

/** Sends it in a conversation of its own; what the mail server refuses is given back. */
async function submit(
  trial: CaseRun,
  facts: { subject: string; to: string; headers?: string[] },
): Promise<string | null> {
  let refusal: string | null = null
  await opened(trial, async (conversation) => {
    await conversation.login(USER, trial.world.options.client.key)
    const envelope = { from: senderOf(trial), to: facts.to, message: messageOf(trial, facts) }
    refusal = await refusalOf(conversation.send(envelope))
    if (refusal === null) trial.world.options.leftovers.stays.emails++
  })
  return refusal
}

async function sentAs(trial: CaseRun, subject: string): Promise<Json[]> {
  const { data = [] } = await trial.made('GET /emails', { query: 'limit=100' })
  return data.filter((one: Json) => one?.subject === subject)
}

const sent: Fixture<{ subject: string; to: string; refusal: string | null }> = {
  async make(trial) {
    const facts = { subject: trial.fresh('Submitted'), to: trial.address() }
    return { ...facts, refusal: await submit(trial, facts) }
  },
}

const cases: Case[] = [
  {
    ...{ id: 'smtp.auth', title: 'offers the logins PLAIN and LOGIN', operation: null },
    async run(trial) {
      await opened(trial, async (_conversation, able) => {
        const [offered = ''] = able.split('\n').filter((line) => /^250[- ]AUTH /i.test(line))
        for (const kind of ['PLAIN', 'LOGIN'])
          trial.check('EHLO', { expected: `AUTH ${kind}`, isTrue: offered.includes(kind), actual: offered })
      })
    },
  },
  {
    ...{ id: 'smtp.bad-key', title: 'refuses a key of nobody with 535', operation: null },
    async run(trial) {
      await opened(trial, async (conversation) => {
        const said = await refusalOf(conversation.login(USER, 're_00000000_0000000000000000000000'))
        trial.check('AUTH', { expected: '535', isTrue: said?.startsWith('535') === true, actual: said ?? '235' })
      })
    },
  },
  {
    ...{ id: 'smtp.send', title: 'what is sent is an email like others', operation: null },
    async run(trial) {
      const { subject, to, refusal } = await trial.need(sent)
      if (refusal !== null) return trial.differs('DATA', { expected: '250', actual: refusal })
      const [email] = await trial.until('an email that was sent by SMTP is in the list', async () => {
        const found = await sentAs(trial, subject)
        return found.length > 0 && found
      })
      const isMeant = JSON.stringify(email?.to) === JSON.stringify([to])
      trial.check('GET /emails', { expected: `to: ${to}`, isTrue: isMeant, actual: email?.to })
    },
  },
  {
    ...{ id: 'smtp.idempotency', title: 'the same Resend-Idempotency-Key is the same email', operation: null },
    async run(trial) {
      const headers = [`Resend-Idempotency-Key: ${trial.fresh('key')}`]
      const facts = { subject: trial.fresh('Once'), to: trial.address(), headers }
      for (let n = 0; n < 2; n++) {
        const refusal = await submit(trial, facts)
        if (refusal !== null) return trial.differs('DATA', { expected: '250', actual: refusal })
      }
      await trial.until(
        'an email that was sent by SMTP is in the list',
        async () => (await sentAs(trial, facts.subject))[0],
      )
      const found = await sentAs(trial, facts.subject)
      trial.check('GET /emails', { expected: 'one email', isTrue: found.length === 1, actual: found.length })
    },
  },
  {
    ...{ id: 'smtp.refusal', title: 'what the API refuses is refused with 550', operation: null },
    async run(trial) {
      const headers = [`Resend-Idempotency-Key: ${'k'.repeat(257)}`]
      const said = await submit(trial, { subject: trial.fresh('Refused'), to: trial.address(), headers })
      trial.check('DATA', { expected: '550', isTrue: said?.startsWith('550') === true, actual: said ?? '250' })
    },
  },
]

export const submission: Group = { id: 'smtp', title: 'SMTP', cases }
