import { describe, expect, test } from 'vitest'
import type { Seams } from '../../../../../test/harness/app.ts'
import {
  addVerifiedDomain,
  blobsOf,
  emptyLedger,
  readEmail,
  sendEmail,
  startAcme,
} from '../../../../../test/harness/emails.ts'
import { newId } from '../../../../../test/harness/ids.ts'
import type { Envelope } from '../../../../adapters/smtp-client/destination.ts'
import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import { readReportAddress } from '../../../../mail/return-path.ts'
import type { DestinationResolver } from './destination-resolvers.ts'
import type { Sender } from './sender.ts'

const DELIVERED: Outcome = { kind: 'delivered', reply: '250 2.0.0 Ok' }

/** A network in which every domain has a server of its own, and the test says what it answers. */
function network() {
  const mails: { destination: string; envelope: Envelope; text: string }[] = []
  const script = {
    answer: (_address: string): Outcome | Untried => DELIVERED,
    pausedUntil: (_destination: string): Date | null => null,
  }
  const router: DestinationResolver = {
    async resolve(domain) {
      if (domain !== 'nowhere.dev') return { kind: 'found', destination: { name: domain, hosts: [] } }
      const bounce = { type: 'Permanent', subType: 'General' } as const
      return { kind: 'none', outcome: { kind: 'bounced', reply: '556 5.1.10 No mail there', bounce } }
    },
  }
  const sender: Sender = {
    async send({ name }, envelope, message) {
      mails.push({ destination: name, envelope, text: message.toString().replace(/\r\n[ \t]+/g, ' ') })
      return envelope.to.map((address) => script.answer(address))
    },
    pausedUntil: (destination) => script.pausedUntil(destination),
    close: async () => {},
  }
  return { router, sender, mails, script }
}

async function start(seams: Seams = {}) {
  const net = network()
  const settings = { POSTWREN_DELIVERY: 'direct', POSTWREN_PUBLIC_URL: 'https://mail.acme.dev' }
  const { app, acme } = await startAcme(settings, { ...seams, router: net.router, sender: net.sender })
  await emptyLedger(app)
  const domain = `d-${newId()}.dev`
  const domainId = await addVerifiedDomain(app, acme, domain)
  const send = (fields: object = {}) =>
    sendEmail(acme, { from: `Acme <hello@${domain}>`, to: 'ada@one.dev', ...fields })
  return { app, acme, ...net, domain, domainId, send }
}

describe('mail to other servers', () => {
  test('is a conversation of its own for each recipient, and tells nobody of blind copies', async () => {
    const { app, acme, mails, domain, send } = await start()

    const id = await send({
      to: ['ada@one.dev', 'Bob <bob@ONE.dev>'],
      cc: 'cy@two.dev',
      bcc: ['eve@one.dev', 'x@nowhere.dev'],
    })
    await app.deliverDue()

    expect(mails.map(({ destination, envelope }) => [destination, envelope.to])).toEqual([
      ['one.dev', ['ada@one.dev']],
      ['one.dev', ['bob@ONE.dev']],
      ['one.dev', ['eve@one.dev']],
      ['two.dev', ['cy@two.dev']],
    ])
    for (const { envelope, text } of mails) {
      expect(envelope.from).toMatch(new RegExp(`@send\\.${domain}$`))
      expect(text).toMatch(new RegExp(`\r\nCFBL-Address: complaint\\+[a-z2-7]{45}@send\\.${domain}; report=arf\r\n`))
      expect(text).toContain('To: ada@one.dev, Bob <bob@ONE.dev>')
      expect(text).toMatch(/^DKIM-Signature: /)
      expect(text).not.toContain('eve@')
    }
    expect((await readEmail(acme, id)).states).toEqual({
      'ada@one.dev': 'delivered',
      'bob@ONE.dev': 'delivered',
      'cy@two.dev': 'delivered',
      'eve@one.dev': 'delivered',
      'x@nowhere.dev': 'bounced',
    })
  })

  test('comes back to an address that names its recipient', async () => {
    const { app, mails, send } = await start()
    const id = await send({ to: ['ada@one.dev', 'bob@one.dev'], cc: 'cy@one.dev', bcc: ['bob@one.dev'] })
    await app.deliverDue()

    const paths = mails.map(({ envelope }) => [
      envelope.to[0],
      readReportAddress(envelope.from.split('@')[0]!, [app.sealer.deriveKey('return-path')]),
    ])

    expect(paths).toEqual([
      ['ada@one.dev', { by: 'return-path', emailId: id, position: 0 }],
      ['bob@one.dev', { by: 'return-path', emailId: id, position: 1 }],
      ['cy@one.dev', { by: 'return-path', emailId: id, position: 2 }],
    ])
  })

  test('says within its signature whom complaints are for, and what they are counted by', async () => {
    const { app, acme, mails, send } = await start()
    const { body: topic } = await acme.post('/topics', { name: 'News' })
    await send()
    await send({ topic_id: topic.id })
    await app.deliverDue()

    const [email, news] = mails.map(({ text }) => /\nFeedback-ID: (.*)\r\n/.exec(text)?.[1])
    expect(email).toMatch(/^:[0-9a-f-]{36}:email:[0-9a-f]{12}$/)
    expect(news).toBe(email!.replace(':email:', ':topic:'))
    for (const { text } of mails)
      expect(/ h=([^;]+);/.exec(text)?.[1]?.replaceAll(' ', '').split(':')).toEqual(
        expect.arrayContaining(['Feedback-ID', 'CFBL-Address']),
      )
  })

  test('keeps headers of these names that its sender has written', async () => {
    const { app, acme, mails, send } = await start()
    const headers = { 'feedback-id': 'a:b:c:acme-mail', 'Cfbl-Address': 'fbl@acme.dev; report=arf' }
    const id = await send({ headers })
    await app.deliverDue()

    expect(mails[0]!.text.match(/feedback-id: .*|cfbl-address: .*/gi)).toEqual([
      'feedback-id: a:b:c:acme-mail',
      'Cfbl-Address: fbl@acme.dev; report=arf',
    ])
    const { body } = await acme.get(`/emails/${id}`)
    expect(body.headers ?? headers).toEqual(headers)
  })

  test('is the same message at every attempt', async () => {
    const { app, mails, script, send } = await start()
    script.answer = () => ({ kind: 'deferred', reply: '450 Later', isThrottled: false })
    await send({ attachments: [{ filename: 'a.txt', content: 'YQ==' }] })

    await app.deliverDue()
    app.clock.advance(60)
    await app.deliverDue()

    const [first, second] = mails.map(({ text }) => text.replace(/^DKIM-Signature:.*\r\n/, ''))
    expect(mails).toHaveLength(2)
    expect(second).toBe(first)
  })

  test('about a topic is each recipient’s own, with a way out that works', async () => {
    const { app, acme, mails, send } = await start()
    const { body: topic } = await acme.post('/topics', { name: 'News' })

    await send({ to: ['ada@one.dev', 'bob@one.dev'], topic_id: topic.id })
    await app.deliverDue()

    expect(mails.map(({ envelope }) => envelope.to)).toEqual([['ada@one.dev'], ['bob@one.dev']])
    for (const { envelope, text } of mails) {
      const link = /List-Unsubscribe: <https:\/\/mail\.acme\.dev([^>]+)>/.exec(text)?.[1]
      const page = await app.server.inject({ method: 'GET', url: link! })
      expect(page.body).toContain(`<strong>${envelope.to[0]}</strong> is subscribed to <strong>News</strong>`)
      expect(text).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    }
  })

  test('waits for a destination that has asked for a rest, without counting it as an attempt', async () => {
    const { app, acme, mails, script, send } = await start()
    const until = new Date(app.clock.now().getTime() + 90_500)
    script.pausedUntil = (destination) => (destination === 'one.dev' ? until : null)
    const id = await send({ to: ['ada@one.dev', 'bob@two.dev'] })

    await app.deliverDue()
    const resting = await readEmail(acme, id)
    app.clock.advance(91)
    await app.deliverDue()

    expect(resting.states).toEqual({ 'ada@one.dev': 'waiting', 'bob@two.dev': 'delivered' })
    expect(resting.deliveries[0]).toMatchObject({ attempts: 0, replies: [] })
    expect(Date.parse(resting.deliveries[0].next_attempt_at)).toBe(until.getTime())
    expect(mails.map(({ destination }) => destination)).toEqual(['two.dev', 'one.dev'])
    expect((await readEmail(acme, id)).deliveries[0]).toMatchObject({ state: 'delivered', attempts: 1 })
  })

  test('fails when its domain is not verified any more', async () => {
    const { app, acme, mails, domainId, send } = await start()
    const id = await send()

    await acme.delete(`/domains/${domainId}`)
    await app.deliverDue()

    const email = await readEmail(acme, id)
    expect(email.last_event).toBe('failed')
    expect(email.events.at(-1).data.failed).toEqual({ reason: 'The sender domain is no longer verified.' })
    expect(mails).toEqual([])
  })
})

describe('what goes wrong on our side', () => {
  test('for one destination leaves the others their answers', async () => {
    const { app, acme, script, send } = await start()
    script.answer = (address) => {
      if (address.endsWith('@two.dev')) throw new Error('a mistake of ours')
      return DELIVERED
    }
    const id = await send({ to: ['ada@one.dev', 'bob@two.dev'] })

    await app.deliverDue()

    const { states, deliveries } = await readEmail(acme, id)
    expect(states).toEqual({ 'ada@one.dev': 'delivered', 'bob@two.dev': 'waiting' })
    expect(deliveries[1].replies[0].reply).toBe('451 4.3.0 Not tried: a mistake of ours')
  })

  test('when the content of an attachment is lost ends in a bounce, and not in trying for ever', async () => {
    const { app, acme, mails, send } = await start({ blobs: (real) => ({ ...wrap(real), get: async () => null }) })
    const id = await send({ attachments: [{ filename: 'a.txt', content: 'YQ==' }] })

    await app.deliverDue()
    const first = await readEmail(acme, id)
    app.clock.advance(73 * 3_600)
    await app.deliverDue()

    expect(blobsOf(app)).toHaveLength(1)
    expect(first.deliveries[0].replies[0].reply).toContain('The content of an attachment is missing')
    expect((await readEmail(acme, id)).last_event).toBe('bounced')
    expect(mails).toEqual([])
  })

  test('when the store of attachments is away is no fault of the mail', async () => {
    let isAway = true
    const away = () => Promise.reject(Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' }))
    const { app, acme, send } = await start({
      blobs: (real) => ({ ...wrap(real), get: (key) => (isAway ? away() : real.get(key)) }),
    })
    const id = await send({ attachments: [{ filename: 'a.txt', content: 'YQ==' }] })

    await app.deliverDue()
    const waiting = await readEmail(acme, id)
    isAway = false
    app.clock.advance(60)
    await app.deliverDue()

    expect(waiting).toMatchObject({ last_event: 'sent', deliveries: [{ attempts: 0, replies: [] }] })
    expect(await readEmail(acme, id)).toMatchObject({ last_event: 'delivered', deliveries: [{ attempts: 1 }] })
  })
})

const wrap = (real: Parameters<NonNullable<Seams['blobs']>>[0]) => ({
  put: (key: string, content: Buffer) => real.put(key, content),
  get: (key: string) => real.get(key),
  open: (key: string) => real.open(key),
  remove: (key: string) => real.remove(key),
  archived: () => real.archived(),
})
