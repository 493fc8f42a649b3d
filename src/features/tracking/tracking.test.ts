import { describe, expect, test } from 'vitest'
import { readEmail } from '../../../test/harness/emails.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { newId } from '../../../test/harness/ids.ts'
import { eventually } from '../../../test/harness/service.ts'
import { BROWSER, pathOf, startTracked } from '../../../test/harness/tracked-mail.ts'
import { sql } from '../../kernel/db/sql.ts'
import { LinkSigner } from '../../platform/links.ts'

const HTML = '<html><body><p>Hi</p><a href="https://acme.dev/a?b=1&amp;c=2">one</a></body></html>'

describe('tracked mail', () => {
  test('leads through the installation, and is otherwise what the sender gave', async () => {
    const { acme, deliver } = await startTracked()

    const { id, mail } = await deliver({ html: HTML })

    expect(mail.links).toEqual([expect.stringMatching(/^https:\/\/mail\.acme\.dev\/c\/[\w.-]+$/)])
    expect(mail.pixel).toMatch(/^https:\/\/mail\.acme\.dev\/o\/[\w.-]+$/)
    expect(mail.html.replace(/<img [^>]*>/, '').replace(mail.links[0]!, 'https://acme.dev/a?b=1&amp;c=2')).toBe(HTML)
    expect(mail.text).toBe('Hi\n\none <https://acme.dev/a?b=1&c=2>')
    expect((await acme.get(`/emails/${id}`)).body.html).toBe(HTML)
  })

  test('goes through the host of its domain once the DNS knows it', async () => {
    const { app, domain, domainId, deliver } = await startTracked({ tracking_subdomain: 'links' })
    await app.db.query(sql`update domains set is_tracking_verified = true where id = ${domainId}`)

    const { mail } = await deliver({ html: HTML })

    expect(mail.links[0]).toMatch(new RegExp(`^https://links\\.${domain}/c/`))
    expect(mail.pixel).toMatch(new RegExp(`^https://links\\.${domain}/o/`))
  })

  test('has only what the domain wants', async () => {
    const mailWith = async (settings: object) => (await (await startTracked(settings)).deliver({ html: HTML })).mail

    expect(await mailWith({ click_tracking: false })).toMatchObject({
      links: ['https://acme.dev/a?b=1&amp;c=2'],
      pixel: expect.any(String),
    })
    expect(await mailWith({ open_tracking: false })).toMatchObject({
      links: [expect.stringContaining('/c/')],
      pixel: null,
    })
    expect(await mailWith({ open_tracking: false, click_tracking: false })).toMatchObject({ html: HTML })
  })

  test('is each recipient’s own, and the same at every attempt', async () => {
    const { app, mails, send } = await startTracked()

    await send({ to: ['ada@one.dev', 'bob@one.dev'], html: HTML })
    await app.deliverDue()
    await app.db.query(sql`update deliveries set state = 'waiting', settled_at = null`)
    app.clock.advance(3_600)
    await app.deliverDue()

    const first = mails.slice(0, 2).toSorted((a, b) => (a.to[0]! < b.to[0]! ? -1 : 1))
    const second = mails.slice(2).toSorted((a, b) => (a.to[0]! < b.to[0]! ? -1 : 1))
    expect(first.map(({ to }) => to)).toEqual([['ada@one.dev'], ['bob@one.dev']])
    expect(first[0]!.links).not.toEqual(first[1]!.links)
    expect(second.map(({ html }) => html)).toEqual(first.map(({ html }) => html))
    expect(first[0]!.html).not.toMatch(/\bada\b/)
  })

  test('says the same to all its recipients when it is plain text', async () => {
    const { app, mails, send } = await startTracked()

    await send({ to: ['ada@one.dev', 'bob@one.dev'], html: undefined, text: 'See https://acme.dev' })
    await app.deliverDue()

    const text = 'See https://acme.dev'
    expect(mails.toSorted((a, b) => (a.to[0]! < b.to[0]! ? -1 : 1))).toMatchObject([
      { to: ['ada@one.dev'], text },
      { to: ['bob@one.dev'], text },
    ])
  })

  test('leaves the way out and what is too long alone', async () => {
    const { deliver } = await startTracked()
    const long = `https://acme.dev/${'x'.repeat(2_000)}`

    const { mail } = await deliver({
      html: `<a href="https://mail.acme.dev/unsubscribe/token">out</a><a href="${long}">long</a><a href="mailto:a@b.dev">m</a>`,
    })

    expect(mail.links).toEqual(['https://mail.acme.dev/unsubscribe/token', long, 'mailto:a@b.dev'])
  })
})

describe('a click', () => {
  test('leads where the mail said, and is told', async () => {
    const { app, acme, deliver, visit, told } = await startTracked()
    const { id, mail } = await deliver({ html: HTML, tags: [{ name: 'kind', value: 'test' }] })

    const reply = await visit(mail.links[0]!)

    expect(reply.statusCode).toBe(302)
    expect(reply.headers).toMatchObject({
      location: 'https://acme.dev/a?b=1&c=2',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    expect(await told()).toEqual([
      {
        type: 'email.clicked',
        data: {
          email_id: id,
          created_at: expect.stringMatching(/Z$/),
          from: expect.stringContaining('hello@'),
          to: ['ada@one.dev'],
          subject: 'Hello',
          message_id: expect.stringContaining(id),
          tags: { kind: 'test' },
          click: {
            ipAddress: '127.0.0.1',
            link: 'https://acme.dev/a?b=1&c=2',
            timestamp: app.clock.now().toISOString(),
            userAgent: BROWSER['user-agent'],
          },
          verdict: { kind: 'person', reason: 'browser', is_counted: true },
        },
      },
    ])
    expect(await readEmail(acme, id)).toMatchObject({
      last_event: 'clicked',
      timeline: ['sent', 'delivered', 'clicked'],
    })
  })

  test('works for targets as people write them', async () => {
    const { deliver, visit } = await startTracked()
    const { mail } = await deliver({ html: '<a href=" https://Bücher.example/ä b?q=ü#é ">x</a>' })

    const { headers, statusCode } = await visit(mail.links[0]!)

    expect([statusCode, headers.location]).toEqual([302, 'https://xn--bcher-kva.example/%C3%A4%20b?q=%C3%BC#%C3%A9'])
  })

  test('with a token that we did not make leads nowhere', async () => {
    const { app, deliver, visit, told } = await startTracked()
    const { mail } = await deliver({ html: HTML })
    const [content, mac] = pathOf(mail.links[0]!).slice('/c/'.length).split('.') as [string, string]
    const elsewhere = Buffer.from(
      Buffer.from(content, 'base64url').toString().replace('acme.dev', 'evil.dev'),
    ).toString('base64url')
    const open = pathOf(mail.pixel!).slice('/o/'.length)

    for (const token of ['x', `${elsewhere}.${mac}`, content, `${content}.`, `${content}.${mac}.x`, open]) {
      const reply = await visit(`/c/${token}`)
      expect([reply.statusCode, reply.headers.location], token).toEqual([404, undefined])
      expect(reply.body).toContain('not valid')
    }
    expect((await visit('/c/')).statusCode).toBe(404)
    expect((await app.server.inject({ method: 'POST', url: pathOf(mail.links[0]!) })).statusCode).toBe(404)
    expect(await told()).toEqual([])
  })

  test('is answered while the database is away, and written down when it is back', async () => {
    const { app, deliver, told } = await startTracked()
    const { mail } = await deliver({ html: HTML })
    const there = { query: app.db.query.bind(app.db), queryPooled: app.db.queryPooled.bind(app.db) }
    const visited = makeGate()
    const away = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
    app.db.query = away
    app.db.queryPooled = (statement) => {
      // Others ask now and then, too: for what was logged, and which keys were used.
      if (statement.toQuery().text.includes('from deliveries')) visited.open()
      return away()
    }

    const click = await app.server.inject({ method: 'GET', url: pathOf(mail.links[0]!), headers: BROWSER })
    const open = await app.server.inject({ method: 'GET', url: pathOf(mail.pixel!), headers: BROWSER })
    await visited.opened
    Object.assign(app.db, there)
    await eventually(async () => (await told()).length === 2)

    expect([click.statusCode, open.statusCode]).toEqual([302, 200])
    expect((await told()).map(({ type }) => type).sort()).toEqual(['email.clicked', 'email.opened'])
  })

  test('on several links in the same moment is a scanner’s', async () => {
    const { app, acme, deliver, told } = await startTracked()
    const { id, mail } = await deliver({ html: '<a href="https://acme.dev/1">1</a><a href="https://acme.dev/2">2</a>' })

    await Promise.all(mail.links.map((url) => app.server.inject({ method: 'GET', url: pathOf(url), headers: BROWSER })))
    await app.flush()

    expect((await told()).map(({ data }) => data.verdict)).toEqual([
      { kind: 'scanner', reason: 'several_links_at_once', is_counted: false },
      { kind: 'scanner', reason: 'several_links_at_once', is_counted: false },
    ])
    expect((await readEmail(acme, id)).last_event).toBe('delivered')
  })

  test('within a second of the delivery is a scanner’s', async () => {
    const { app, mails, send, visit, told } = await startTracked()
    await send({ html: HTML })
    await app.deliverDue()

    await visit(mails[0]!.links[0]!)

    expect((await told())[0]!.data.verdict).toMatchObject({ kind: 'scanner', reason: 'within_a_second_of_delivery' })
  })
})

describe('an open', () => {
  test('is a picture that nobody keeps, and is told', async () => {
    const { app, acme, deliver, visit, told } = await startTracked()
    const { id, mail } = await deliver({ html: HTML })

    const reply = await visit(mail.pixel!)

    expect(reply.statusCode).toBe(200)
    expect(reply.headers).toMatchObject({ 'content-type': 'image/gif', 'cache-control': 'no-store' })
    expect(reply.rawPayload.subarray(0, 6).toString()).toBe('GIF89a')
    expect(await told()).toMatchObject([
      {
        type: 'email.opened',
        data: {
          email_id: id,
          to: ['ada@one.dev'],
          open: { ipAddress: '127.0.0.1', timestamp: app.clock.now().toISOString() },
          verdict: { kind: 'person' },
        },
      },
    ])
    expect((await readEmail(acme, id)).last_event).toBe('opened')
  })

  test('with a token that we did not make is the same picture, and nothing is told', async () => {
    const { deliver, visit, told } = await startTracked()
    const { mail } = await deliver({ html: HTML })

    for (const url of ['/o/x', '/o/e30.x', pathOf(mail.links[0]!).replace('/c/', '/o/')]) {
      const reply = await visit(url)
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'image/gif'])
    }
    expect(await told()).toEqual([])
  })

  test('by HEAD is answered and counts for nobody', async () => {
    const { acme, deliver, visit, told } = await startTracked()
    const { id, mail } = await deliver({ html: HTML })

    const open = await visit(mail.pixel!, BROWSER, 'HEAD')
    const click = await visit(mail.links[0]!, BROWSER, 'HEAD')

    expect([open.statusCode, open.headers['content-type']]).toEqual([200, 'image/gif'])
    expect([click.statusCode, click.headers.location]).toEqual([302, 'https://acme.dev/a?b=1&c=2'])
    expect((await told()).map(({ data }) => data.verdict.reason)).toEqual(['head_request', 'head_request'])
    expect((await readEmail(acme, id)).last_event).toBe('delivered')
  })

  test('comes from where the proxy in front of us says', async () => {
    const { deliver, visit, told } = await startTracked()
    const { mail } = await deliver({ html: HTML })

    await visit(mail.pixel!, { ...BROWSER, 'x-forwarded-for': '198.51.100.7, 203.0.113.9' })

    expect((await told())[0]!.data.open.ipAddress).toBe('203.0.113.9')
  })

  test('moves the status forward only, and never from an end', async () => {
    const { app, acme, deliver, visit } = await startTracked()
    const { id, mail } = await deliver({ html: HTML })
    const statusAfter = async (last: string, url: string) => {
      await app.db.query(sql`update emails set last_event = ${last} where id = ${id}`)
      await visit(url)
      return (await readEmail(acme, id)).last_event
    }
    const [open, click] = [mail.pixel!, mail.links[0]!]

    expect(await statusAfter('sent', open)).toBe('opened')
    expect(await statusAfter('delivery_delayed', click)).toBe('clicked')
    expect(await statusAfter('opened', click)).toBe('clicked')
    expect(await statusAfter('clicked', open)).toBe('clicked')
    for (const end of ['bounced', 'complained', 'failed', 'suppressed', 'canceled'])
      expect(await statusAfter(end, click), end).toBe(end)
  })

  test('by one recipient stays the status when another one gets the mail', async () => {
    const { app, acme, mails, send, visit } = await startTracked()
    const id = await send({ to: ['ada@one.dev', 'bob@one.dev'], html: HTML })
    await app.db.query(sql`
      update deliveries set due_at = due_at + interval '1 hour' where email_id = ${id} and recipient = 'bob@one.dev'`)
    await app.deliverDue()
    app.clock.advance(3_600)

    await visit(mails[0]!.pixel!)
    await app.deliverDue()

    const { last_event, states, timeline } = await readEmail(acme, id)
    expect(states).toEqual({ 'ada@one.dev': 'delivered', 'bob@one.dev': 'delivered' })
    expect(timeline).toEqual(['sent', 'delivered', 'opened', 'delivered'])
    expect(last_event).toBe('opened')
  })

  test('of mail that is gone is nobody’s', async () => {
    const { app, deliver, visit, told } = await startTracked()
    const { id, mail } = await deliver({ html: HTML })
    await app.db.query(sql`delete from emails where id = ${id}`)

    expect((await visit(mail.links[0]!)).statusCode).toBe(302)
    expect(await told()).toEqual([])
  })
})

describe('a tracked link is bound to its host', () => {
  test('and leads nowhere at the host of another team', async () => {
    const { app, domain, domainId, deliver } = await startTracked({ tracking_subdomain: 'links' })
    await app.db.query(sql`update domains set is_tracking_verified = true where id = ${domainId}`)
    const { mail } = await deliver({ html: HTML })
    const at = (host: string) =>
      app.server.inject({ method: 'GET', url: pathOf(mail.links[0]!), headers: { ...BROWSER, host } })

    expect((await at(`links.${domain}`)).statusCode).toBe(302)
    expect((await at(`LINKS.${domain}:443`)).statusCode).toBe(302)
    expect((await at('localhost:4025')).statusCode).toBe(302) // a proxy that hides the name
    expect((await at('links.globex.dev')).statusCode).toBe(404)
    expect((await at('mail.acme.dev')).statusCode).toBe(404)
  })

  test('also when it was made before that, at the hosts of its team', async () => {
    const { app, acme, domain } = await startTracked({ tracking_subdomain: 'links' })
    const links = new LinkSigner([app.sealer.deriveKey('links')])
    const token = links.sign('click', { t: acme.team, e: newId(), r: 'x', u: 'https://acme.dev/' }, null)
    const at = (host: string) => app.server.inject({ method: 'GET', url: `/c/${token}`, headers: { host } })

    for (const host of [`links.${domain}`, `old.${domain}`, domain, 'mail.acme.dev', '127.0.0.1'])
      expect([host, (await at(host)).statusCode]).toEqual([host, 302])
    for (const host of ['links.globex.dev', `x${domain}`])
      expect([host, (await at(host)).statusCode]).toEqual([host, 404])
  })
})
