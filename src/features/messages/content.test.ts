import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { arrive, RICH, receivingDomain, submit, written } from '../../../test/harness/arriving.ts'
import { addVerifiedDomain, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import { countTurns } from '../../../test/harness/turns.ts'
import { sql } from '../../kernel/db/sql.ts'
import { findMessage } from './actions.ts'
import { messageText } from './answer.ts'

type Header = { name: string; value: string }
const headerIn = (headers: Header[], wanted: string) => headers.find(({ name }) => name === wanted)?.value

describe('a sent message', () => {
  test('says what a test needs: links, codes, images, headers, files and its source', async () => {
    const { app, acme } = await startAcme()
    const id = await sendEmail(acme, {
      subject: 'Your code: 481-516',
      html: '<p>Hi <a href="https://acme.dev/verify?t=1&amp;u=2">Confirm  it</a> <img src="cid:logo" alt="Logo"></p>',
      headers: { 'X-Trace': 'Grüße' },
      attachments: [
        { filename: 'a.txt', content: 'aGVsbG8=' },
        { filename: 'l.png', content: 'AAAA', content_id: 'logo' },
      ],
    })

    const { body } = await acme.get(`/messages/${id}`)

    const href = 'https://acme.dev/verify?t=1&u=2'
    expect(body).toMatchObject({
      object: 'message',
      direction: 'sent',
      codes: ['481516'],
      links: [{ text: 'Confirm it', href, target: href }],
      images: [{ src: 'cid:logo', alt: 'Logo' }],
      unsubscribe: null,
      text: expect.stringContaining('Confirm it'),
      attachments: [
        { filename: 'a.txt', size: 5 },
        { filename: 'l.png', content_id: 'logo' },
      ],
    })
    expect(headerIn(body.headers, 'x-trace')).toBe('Grüße')
    expect(headerIn(body.headers, 'subject')).toBe('Your code: 481-516')
    expect(body.raw).toMatch(/^Message-ID: |\r\nMessage-ID: /i)
    expect(body.raw).toContain('aGVsbG8=')
    const path = new URL(body.attachments[0].download_url).pathname
    expect((await app.send({ url: path })).text).toBe('hello')
    expect((await (await app.as('globex')).get(`/messages/${id}`)).status).toBe(404)
    expect((await acme.get('/messages/nothing')).status).toBe(422)
  })

  test('shows the html as it was written, and links as the recipient has them, with where they lead', async () => {
    const { app, acme } = await startAcme()
    const domain = `d-${newId()}.dev`
    const domainId = await addVerifiedDomain(app, acme, domain)
    await acme.patch(`/domains/${domainId}`, { open_tracking: true, click_tracking: true })
    await app.db.query(sql`update domains set is_sending_verified = true where id = ${domainId}`)
    const { body: topic } = await acme.post('/topics', { name: `News ${newId()}`, default_subscription: 'opt_in' })
    const html = '<a href="https://acme.dev/a?b=1">Go</a>'
    const id = await sendEmail(acme, { from: `a@${domain}`, html, topic_id: topic.id })

    const { body } = await acme.get(`/messages/${id}`)

    expect(body.html).toBe(html)
    expect(body.links).toEqual([
      { text: 'Go', href: expect.stringMatching(/\/c\/[\w.-]+$/), target: 'https://acme.dev/a?b=1' },
    ])
    expect(body.images).toEqual([])
    expect(body.raw).toContain('/o/')
    const clicked = await app.send({ url: new URL(body.links[0].href).pathname })
    expect(clicked).toMatchObject({ status: 302, headers: { location: 'https://acme.dev/a?b=1' } })
    expect(body.unsubscribe).toMatchObject({ url: expect.stringContaining('/unsubscribe/') })
    // Somebody else's token is no link of ours.
    const [own] = body.links
    const forged = await sendEmail(acme, { html: `<a href="${own.href.slice(0, -3)}AAA">x</a>` })
    const [link] = (await acme.get(`/messages/${forged}`)).body.links
    expect(link.target).toBe(link.href)
  })

  test('that was submitted is shown as it came, without what is for us', async () => {
    const { app, acme } = await startAcme()
    await submit(app, acme, written({ from: 'me@acme.dev', to: 'ada@example.com', headers: ['X-Own: yes'] }), [
      'ada@example.com',
    ])

    const [{ id }] = (await acme.get('/messages')).body.data
    const { body } = await acme.get(`/messages/${id}`)

    expect(body).toMatchObject({ text: 'Hi.\n', html: null, raw: expect.stringContaining('\r\n\r\nHi.\r\n') })
    expect(headerIn(body.headers, 'x-own')).toBe('yes')
  })

  test('of many MB is shown without its source, and holds up nobody', async () => {
    const { app, acme } = await startAcme()
    const id = await sendEmail(acme, { html: '<p>short</p>', headers: { 'X-Trace': 'kept' } })
    await app.db.query(sql`
      update email_bodies set html = repeat('<a href="https://acme.dev/1">ü</a><b>', 160000) where team_id = ${acme.team}`)
    const asked = [vi.spyOn(app.db, 'query'), vi.spyOn(app.db, 'queryPooled')]
    onTestFinished(() => {
      for (const spy of asked) spy.mockRestore()
    })

    const message = (await findMessage(app.services, acme.team, id))!
    const answers = await Promise.all(asked.flatMap(({ mock }) => mock.results.map(({ value }) => value)))
    const turns = countTurns()
    const pieces: string[] = []
    for await (const piece of messageText(message) as AsyncIterable<string>) pieces.push(piece)

    expect(message.html).toHaveLength(5_920_000)
    expect(JSON.parse(pieces.join('')).html).toBe(message.html)
    expect(message.raw).toBeNull()
    expect(headerIn(message.headers, 'x-trace')).toBe('kept')
    expect(message.links).toHaveLength(1)
    // To decode an answer of the database is one step, and so is to write a piece; links are looked for in steps (`extract.test.ts`).
    expect(Math.max(...answers.map((rows) => JSON.stringify(rows).length))).toBeLessThan(5_000_000)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000)
    expect(turns()).toBeGreaterThanOrEqual(90)
  })
})

describe('a received message', () => {
  test('has the same, as it came', async () => {
    const { app, acme } = await startAcme()
    const { domain } = await receivingDomain(acme)
    const { message: id } = await arrive(app, RICH, { to: [`desk@${domain}`] })

    const { body } = await acme.get(`/messages/${id}`)

    expect(body).toMatchObject({
      direction: 'received',
      subject: 'Hello',
      size: RICH.length,
      raw: RICH.toString(),
      images: [{ src: 'cid:logo@example.net' }, { src: 'cid:nobody' }],
      attachments: [
        { filename: 'logo.png', content_id: 'logo@example.net' },
        { filename: 'notes.txt', size: 5 },
      ],
    })
    expect(body.headers.filter(({ name }: Header) => name === 'x-trace')).toHaveLength(2)
    const path = new URL(body.attachments[1].download_url).pathname
    expect((await app.send({ url: path })).text).toBe('hello')
  })

  test('may be anything: bytes that are no text, no header, or a flood of them', async () => {
    const { app, acme } = await startAcme()
    const { domain } = await receivingDomain(acme)
    const to = { to: [`desk@${domain}`] }
    const { message: garbage } = await arrive(app, Buffer.from([0, 255, 254, 13, 10, 0, 61, 63, 13, 10]), to)
    const many = Array.from({ length: 900 }, (_, n) => `X-${n}: =?utf-8?q?=00${n}?=`)
    const { message: flood } = await arrive(app, written({ headers: many, body: '<'.repeat(1_200_000) }), to)

    expect((await acme.get(`/messages/${garbage}`)).body).toMatchObject({ html: null, codes: [], links: [] })
    const { body } = await acme.get(`/messages/${flood}`)
    expect(body).toMatchObject({ raw: null, links: [] })
    expect(body.headers.length).toBeGreaterThan(900)
  })
})
