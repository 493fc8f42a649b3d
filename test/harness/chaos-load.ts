import { createTransport } from 'nodemailer'
import type { Service } from './service.ts'

const READERS = 10
const EVENTS_PER_ROUND = 5
const ARRIVALS_PER_ROUND = 4
const INBOX = 'desk@acme.dev'

/** One recipient of one message, as it arrives: the same people read every broadcast. */
export function arrivalOf(to: string, bytes: Buffer): string {
  if (!to.startsWith('reader')) return to
  return `${to} ${/^Subject: (.*)\r$/m.exec(bytes.toString('latin1'))![1]}`
}

/**
 * What an installation does besides single emails: runs of an automation, broadcasts, mail for an inbox. Remembers what was accepted, so
 * that it can be said what was lost. Needs the domain acme.dev, which sends and receives.
 */
export async function startOtherLoad(api: Service) {
  const make = async (path: string, body?: object) => {
    const reply = await api.call('POST', path, body)
    if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return reply.body.id as string
  }
  const template = await make('/templates', { name: 'T', from: 'a@acme.dev', subject: 'Run', html: '<p>x</p>' })
  await make(`/templates/${template}/publish`)
  await make('/automations', {
    name: 'Chaos',
    status: 'enabled',
    steps: [
      { key: 'start', type: 'trigger', config: { event_name: 'chaos.began' } },
      { key: 'pause', type: 'delay', config: { duration: '1 second' } },
      { key: 'send', type: 'send_email', config: { template: { id: template } } },
    ],
    connections: [
      { from: 'start', to: 'pause' },
      { from: 'pause', to: 'send' },
    ],
  })
  const segment = await make('/segments', { name: 'Readers' })
  const readers = Array.from({ length: READERS }, (_, n) => `reader${n}@sink.dev`)
  for (const email of readers) await make('/contacts', { email, segments: [{ id: segment }] })
  await make('/inboxes', { email_address: INBOX })

  const accepted = { automations: new Set<string>(), broadcasts: new Set<string>(), inbox: new Set<string>() }
  let rounds = 0

  const isAccepted = async (path: string, body: object) => {
    const reply = await api.call('POST', path, body).catch(() => null)
    return reply !== null && reply.status < 300
  }
  const beginRuns = async (round: number) => {
    for (let n = 0; n < EVENTS_PER_ROUND; n++) {
      const email = `run${round}-${n}@sink.dev`
      if (await isAccepted('/events/send', { event: 'chaos.began', email })) accepted.automations.add(email)
    }
  }
  const broadcast = async (round: number) => {
    const mailing = { from: 'news@acme.dev', subject: `Broadcast ${round}`, text: 'Hello', send: true }
    if (!(await isAccepted('/broadcasts', { ...mailing, segment_id: segment }))) return
    for (const reader of readers) accepted.broadcasts.add(`${reader} ${mailing.subject}`)
  }
  const receive = async (round: number) => {
    const transport = createTransport({ host: '127.0.0.1', port: api.smtpPort, tls: { rejectUnauthorized: false } })
    for (let n = 0; n < ARRIVALS_PER_ROUND; n++) {
      const subject = `Arrival ${round}-${n}`
      const mail = { from: 'ada@elsewhere.example', to: INBOX, subject, text: 'Hi' }
      const isTaken = await transport.sendMail(mail).then(
        () => true,
        () => false,
      )
      if (isTaken) accepted.inbox.add(subject)
    }
  }

  return {
    accepted,
    /** Some of each, while something happens to those who work at it. */
    async round() {
      const round = ++rounds
      await Promise.all([beginRuns(round), broadcast(round), receive(round)])
    },
  }
}
