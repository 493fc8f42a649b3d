import { describe, expect, test } from 'vitest'
import { broadcastTo, copiesOf, makeSegment, sendAll } from '../../../test/harness/broadcasts.ts'
import { addVerifiedDomain, emptyLedger, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import type { Outcome } from '../../mail/outcome.ts'
import { LinkSigner } from '../../platform/links.ts'

/** A domain that may send, and a network that keeps what is sent and answers what the test wants. */
async function start() {
  const mails: { to: string; from: string; text: string }[] = []
  const script = { answer: (): Outcome => ({ kind: 'delivered', reply: '250 2.0.0 Ok' }) }
  const settings = { POSTWREN_DELIVERY: 'direct', POSTWREN_PUBLIC_URL: 'https://mail.acme.dev' }
  const { app, acme } = await startAcme(settings, {
    router: { resolve: async (name) => ({ kind: 'found', destination: { name, hosts: [] } }) },
    sender: {
      async send(_destination, { to, from }, message) {
        mails.push({ to: to.join(), from, text: message.toString() })
        return to.map(() => script.answer())
      },
      pausedUntil: () => null,
      close: async () => {},
    },
  })
  await emptyLedger(app)
  const domain = `d-${newId()}.dev`
  await addVerifiedDomain(app, acme, domain)
  const links = new LinkSigner([app.sealer.deriveKey('links')])
  return { app, acme, mails, script, from: `Acme <news@${domain}>`, links }
}

const headersOf = (text: string) => text.slice(0, text.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ')
const bodyOf = (text: string) => text.slice(text.indexOf('\r\n\r\n')).replace(/=\r\n/g, '').replaceAll('=3D', '=')

describe('on the wire', () => {
  test.each(['a topic', 'no topic'])(
    'a copy about %s says how to end such mail, in its head and in its body',
    async (about) => {
      const { app, acme, mails, from, links } = await start()
      const topic = about === 'a topic' ? (await acme.post('/topics', { name: 'News' })).body.id : null
      const segment = await makeSegment(acme, [{ email: 'ada@one.dev' }])

      const html = '<p><a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Stop</a></p>'
      const id = await broadcastTo(acme, segment, { from, html, topic_id: topic })
      await sendAll(app)

      const [copy] = await copiesOf(app, acme, id)
      const headers = headersOf(mails[0]!.text)
      const [, url = ''] = /^List-Unsubscribe: <(.*)>$/m.exec(headers) ?? []
      expect(headers).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
      expect(links.read('unsubscribe', url.split('/').at(-1)!, app.clock.now())).toEqual({
        team: acme.team,
        email: copy!.id,
        to: 'ada@one.dev',
        ...(topic && { topic }),
      })
      expect(url).toMatch(/^https:\/\/mail\.acme\.dev\/unsubscribe\//)
      const body = bodyOf(mails[0]!.text)
      expect(body).toContain(`<p><a href="${url}">Stop</a></p>`)
      expect(body).toContain(`Stop <${url}>`)
      expect((await acme.get(`/emails/${copy!.id}`)).body.html).toBe(`<p><a href="${url}">Stop</a></p>`)
    },
  )

  test('each recipient has a mail of its own, with a subject on one line', async () => {
    const { app, acme, mails, from } = await start()
    const segment = await makeSegment(acme, [
      { email: 'ada@one.dev', first_name: 'Ada\r\nBcc: eve@evil.dev' },
      { email: 'bob@one.dev', first_name: 'Bob' },
    ])

    await broadcastTo(acme, segment, { from, subject: 'Hi {{{FIRST_NAME}}}', reply_to: ['a@acme.dev', 'b@acme.dev'] })
    await sendAll(app)

    const heads = mails.toSorted((a, b) => (a.to < b.to ? -1 : 1)).map(({ text }) => headersOf(text))
    expect(mails).toHaveLength(2)
    expect(heads[0]).toContain('Subject: Hi Ada Bcc: eve@evil.dev')
    expect(heads[0]).not.toMatch(/^Bcc:/m)
    expect(heads[1]).toMatch(/^To: bob@one.dev$/m)
    expect(heads[1]).toMatch(/^Reply-To: a@acme.dev, b@acme.dev$/m)
  })

  test('a second attempt is the same mail', async () => {
    const { app, acme, mails, script, from } = await start()
    const segment = await makeSegment(acme, [{ email: 'ada@one.dev', first_name: 'Ada' }])
    script.answer = () => ({ kind: 'deferred', reply: '450 4.2.0 Later', isThrottled: false })

    await broadcastTo(acme, segment, { from })
    await sendAll(app)
    await acme.patch('/contacts/ada@one.dev', { first_name: 'Changed' })
    script.answer = () => ({ kind: 'delivered', reply: '250 2.0.0 Ok' })
    app.clock.advance(60)
    await app.deliverDue()

    const unsigned = mails.map(({ text }) => text.replace(/^(?:DKIM-Signature:.*\r\n(?:[ \t].*\r\n)*)+/, ''))
    expect(mails).toHaveLength(2)
    expect(unsigned[1]).toBe(unsigned[0])
    expect(unsigned[0]).toContain('Hello Ada')
  })
})

test('a copy that becomes too long for one contact fails with the reason, and the others go out', async () => {
  const { app, acme, mails, from } = await start()
  await acme.post('/contact-properties', { key: 'story', type: 'string' })
  const segment = await makeSegment(acme, [
    { email: 'ada@one.dev', properties: { story: 'x'.repeat(10_000) } },
    { email: 'bob@one.dev', properties: { story: 'short' } },
  ])

  const subject = '{{{story}}}'.repeat(100)
  const id = await broadcastTo(acme, segment, { from, html: '<p>{{{story}}}</p>'.repeat(540), subject })
  await sendAll(app)

  const copies = await copiesOf(app, acme, id)
  const emails = await Promise.all(copies.map(async (copy) => (await acme.get(`/emails/${copy.id}`)).body))
  const [ada, bob] = ['ada@one.dev', 'bob@one.dev'].map((to) => emails.find((email) => email.to[0] === to))
  expect(mails.map(({ to }) => to)).toEqual(['bob@one.dev'])
  expect([bob.last_event, ada.last_event, ada.html, ada.subject.length]).toEqual(['delivered', 'failed', null, 2_000])
  expect(JSON.stringify(ada.events)).toContain('The email is too large with the values of this recipient.')
  expect((await acme.get(`/emails/${ada.id}/source`)).status).toBe(422)
})

test('a broadcast that asks for more names than anybody has is refused', async () => {
  const { acme, from } = await start()
  const segment = await makeSegment(acme, [{ email: 'ada@one.dev' }])
  const html = Array.from({ length: 101 }, (_, index) => `{{{NAME_${index}}}}`).join('')

  const { body } = await acme.post('/broadcasts', { segment_id: segment, from, subject: 'x', html })

  expect(body.message).toBe('A broadcast can use at most 100 different placeholders.')
})
