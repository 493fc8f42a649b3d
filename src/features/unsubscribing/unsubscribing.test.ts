import { describe, expect, test } from 'vitest'
import type { App, Client } from '../../../test/harness/app.ts'
import { openBackend } from '../../../test/harness/backends.ts'
import { broadcastTo, copiesOf, makeSegment, sendAll } from '../../../test/harness/broadcasts.ts'
import { readEmail, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import { stateOf } from '../../../test/harness/state.ts'
import { raw, sql } from '../../kernel/db/sql.ts'
import { LinkSigner } from '../../platform/links.ts'

/** A topic, a recipient of mail about it, and the link in that mail. */
async function start(options: { topic?: string; to?: string; default_subscription?: string } = {}) {
  const { topic: name = 'News', to = 'ada@example.com', default_subscription = 'opt_in' } = options
  const { app, acme } = await startAcme()
  const { body: topic } = await acme.post('/topics', { name, default_subscription })
  const links = new LinkSigner([app.sealer.deriveKey('links')])
  const payload = { team: acme.team, email: newId(), topic: topic.id as string, to }
  const path = `/unsubscribe/${links.sign('unsubscribe', payload, null)}`
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  return {
    app,
    acme,
    topic: topic.id as string,
    links,
    payload,
    path,
    open: (url = path) => app.server.inject({ method: 'GET', url }),
    press: (body: string, headers: Record<string, string> = form, url = path) =>
      app.server.inject({ method: 'POST', url, payload: body, headers }),
    choice: async () => (await acme.get(`/contacts/${encodeURIComponent(to)}/topics`)).body.data?.[0].subscription,
    told: async () => (await acme.events()).filter(({ type }) => type.startsWith('contact.')),
  }
}

describe('the link in a mail', () => {
  test('is answered within the share of its team: another team does not wait for it', async () => {
    const { app, press } = await start()
    const globex = await app.as('globex')
    const backend = await openBackend()
    await backend.hold('lock table contacts in share mode')

    const pressed = Array.from({ length: 60 }, () => press('choice=all'))
    await backend.waiters(3)

    expect((await globex.post('/topics', { name: 'News' })).status).toBe(201)
    await backend.release()
    expect(new Set((await Promise.all(pressed)).map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  })

  test('names the team and the sender, whatever they are called', async () => {
    const { app, acme, links, payload, open } = await start()
    const from = '"<b>Ada" <ada@acme.dev>'
    const id = await sendEmail(acme, { from })
    await app.db.query(
      sql.write`update teams set name = ${'<img src=x onerror="alert(1)"> & Co'} where id = ${acme.team}`,
    )

    const { body } = await open(`/unsubscribe/${links.sign('unsubscribe', { ...payload, email: id }, null)}`)
    const forgotten = await open()

    expect(body).toContain('<header>&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; Co</header>')
    expect(body).toContain('<strong>ada@example.com</strong> is subscribed to <strong>News</strong>.')
    expect(body).toMatch(/<footer>The email was sent by [^<]*ada@acme\.dev&gt;\.<\/footer>/)
    expect(body).not.toMatch(/<(img|b)\b/)
    // The email is deleted, or was never one of ours.
    expect(forgotten.statusCode).toBe(200)
    expect(forgotten.body).not.toContain('<footer>')
  })

  test('shows what it is about, and changes nothing', async () => {
    const { app, acme, open } = await start()
    const before = await stateOf(app.db, acme.team)

    const page = await open()

    expect(page.statusCode).toBe(200)
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'cache-control': 'no-store',
    })
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.body).toContain('<strong>ada@example.com</strong> is subscribed to <strong>News</strong>.')
    expect(page.body).not.toContain('<script')
    expect(await stateOf(app.db, acme.team)).toEqual(before)
  })

  test('ends mail about the topic when its button is pressed', async () => {
    const { app, acme, topic, press, choice, told } = await start()
    await acme.post('/contacts', { email: 'Ada@example.com' })

    const page = await press('choice=out')
    const id = await sendEmail(acme, { topic_id: topic })
    await app.deliverDue()

    expect(page.statusCode).toBe(200)
    expect(page.body).toContain('<strong>ada@example.com</strong> is unsubscribed from <strong>News</strong>.')
    expect(await choice()).toBe('opt_out')
    expect((await told()).slice(1)).toEqual([
      {
        type: 'contact.topics.updated',
        data: { email: 'ada@example.com', topics: [{ id: topic, subscription: 'opt_out' }] },
      },
    ])
    expect((await readEmail(acme, id)).last_event).toBe('failed')
  })

  test('is part of the history of the mail that it was in', async () => {
    const { acme, topic, links, payload, press } = await start()
    const email = await sendEmail(acme, { topic_id: topic })
    const url = `/unsubscribe/${links.sign('unsubscribe', { ...payload, email }, null)}`

    await press('choice=out', undefined, url)
    await press('choice=in', undefined, url)

    expect((await readEmail(acme, email)).timeline).toEqual(['sent', 'unsubscribed'])
  })

  test('ends it with one click of a mail program, however that sends its form', async () => {
    const boundary = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
    const clicks: [string, Record<string, string>][] = [
      ['List-Unsubscribe=One-Click', { 'content-type': 'application/x-www-form-urlencoded' }],
      [boundary, { 'content-type': 'multipart/form-data; boundary=x' }],
      ['', {}],
    ]

    for (const [body, headers] of clicks) {
      const { press, choice } = await start()

      const page = await press(body, headers)

      expect(page.statusCode).toBe(200)
      expect(await choice()).toBe('opt_out')
    }
  })

  test('makes a contact of somebody who is none: a wish must be written down', async () => {
    const { acme, press, told } = await start({ to: 'stranger@example.com' })

    await press('choice=out')
    await press('choice=out')

    expect((await acme.get('/contacts')).body.data).toMatchObject([
      { email: 'stranger@example.com', unsubscribed: false },
    ])
    expect((await told()).map(({ type }) => type)).toEqual(['contact.created', 'contact.topics.updated'])
  })

  test('lets people come back', async () => {
    const { press, choice } = await start()
    await press('choice=out')

    const page = await press('choice=in')

    expect(page.body).toContain('is subscribed to')
    expect(await choice()).toBe('opt_in')
  })

  test('ends everything when that is wished, this topic included', async () => {
    const { app, acme, topic, press, choice, told } = await start()

    const page = await press('choice=all')
    const id = await sendEmail(acme, { topic_id: topic })
    const personal = await sendEmail(acme)
    await app.deliverDue()

    expect(page.body).toContain('You are unsubscribed from all emails.')
    expect(page.body).toContain('is unsubscribed from')
    expect((await acme.get('/contacts/ada@example.com')).body.unsubscribed).toBe(true)
    expect(await choice()).toBe('opt_out')
    expect((await told()).map(({ type }) => type)).toEqual(['contact.created', 'contact.topics.updated'])
    expect((await readEmail(acme, id)).last_event).toBe('failed')
    expect((await readEmail(acme, personal)).last_event).toBe('delivered')
  })

  test('lets people come back to everything after they left everything', async () => {
    const { acme, press, choice } = await start()
    await press('choice=all')

    const again = await press('choice=again')
    expect((await acme.get('/contacts/ada@example.com')).body.unsubscribed).toBe(false)
    expect(await choice()).toBe('opt_out')
    await press('choice=all')
    await press('choice=in')

    expect(again.body).not.toContain('You are unsubscribed from all emails.')
    expect((await acme.get('/contacts/ada@example.com')).body.unsubscribed).toBe(false)
    expect(await choice()).toBe('opt_in')
  })

  test('shows the topics that the team shows to everybody, each with its button', async () => {
    const { acme, open, press } = await start()
    const make = async (name: string, visibility: string) =>
      (await acme.post('/topics', { name, visibility, default_subscription: 'opt_in' })).body.id
    const offers = await make('Offers', 'public')
    const hidden = await make('Internal', 'private')

    const { body } = await open()
    await press(`choice=out&topic=${offers}`)
    await press(`choice=out&topic=${hidden}`)

    expect(body).toContain('<strong>Offers</strong>')
    expect(body).not.toContain('Internal')
    const { data } = (await acme.get('/contacts/ada@example.com/topics')).body
    expect(
      Object.fromEntries(data.map((one: { name: string; subscription: string }) => [one.name, one.subscription])),
    ).toEqual({
      News: 'opt_in',
      Offers: 'opt_out',
      Internal: 'opt_in',
    })
  })

  test('of mail about no topic ends all mailings with one click', async () => {
    const { acme, links, payload, open, press } = await start()
    const { topic: _topic, ...rest } = payload
    const url = `/unsubscribe/${links.sign('unsubscribe', rest, null)}`

    expect((await open(url)).body).toContain('Unsubscribe from all emails')
    await press('List-Unsubscribe=One-Click', { 'content-type': 'application/x-www-form-urlencoded' }, url)

    expect((await acme.get('/contacts/ada@example.com')).body.unsubscribed).toBe(true)
  })

  test('says so when somebody never subscribed to a topic that asks for it', async () => {
    const { open } = await start({ default_subscription: 'opt_out' })

    expect((await open()).body).toContain('is unsubscribed from')
  })

  test('is of no use when it was tampered with, or made for something else', async () => {
    const { app, acme, links, payload, path, open, press } = await start()
    const token = path.split('/').at(-1)!
    const [, mac] = token.split('.')
    const other = Buffer.from(JSON.stringify({ ...payload, to: 'eve@example.com' })).toString('base64url')
    const forged = [
      `${token}x`,
      `x${token}`,
      `${token}.x`,
      `${other}.${mac}`,
      'x',
      links.sign('shared-email', payload, null),
      links.sign('unsubscribe', { ...payload, topic: newId() }, null),
      new LinkSigner([Buffer.alloc(32)]).sign('unsubscribe', payload, null),
    ].map((text) => `/unsubscribe/${text}`)
    const before = await stateOf(app.db, acme.team)

    for (const url of forged) {
      expect((await open(url)).statusCode, url).toBe(404)
      expect((await press('choice=out', {}, url)).statusCode, url).toBe(404)
    }
    expect(await stateOf(app.db, acme.team)).toEqual(before)
  })

  test('says that it is not valid any more when the topic is gone', async () => {
    const { acme, topic, open, press } = await start()

    await acme.delete(`/topics/${topic}`)

    expect((await open()).statusCode).toBe(404)
    expect((await press('choice=out')).statusCode).toBe(404)
    expect((await acme.get('/contacts')).body.data).toEqual([])
  })

  test('shows hostile names as text', async () => {
    const { open, press } = await start({ topic: '<script>alert("topic")</script>', to: "a'&b@example.com" })

    for (const { body } of [await open(), await press('choice="><script>alert(1)</script>')]) {
      expect(body).not.toContain('<script')
      expect(body).toContain('<strong>&lt;script&gt;alert(&quot;topic&quot;)&lt;/script&gt;</strong>')
      expect(body).toContain('<strong>a&#39;&amp;b@example.com</strong>')
    }
  })
})

describe('the link in a copy of a broadcast', () => {
  /** Each way to say that one wants no more, in a copy about a topic or about none. */
  const DOORS = [
    { way: 'the button', topic: 'News', form: 'choice=out' },
    { way: 'the button for everything', topic: 'News', form: 'choice=all' },
    { way: 'one click', topic: 'News', form: 'List-Unsubscribe=One-Click' },
    { way: 'one click about no topic', topic: null, form: 'List-Unsubscribe=One-Click' },
  ] as const

  async function startBroadcasts() {
    const { app, acme } = await startAcme()
    const { body: news } = await acme.post('/topics', { name: 'News' })
    const html = '<a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Stop</a>'
    const doors = []
    for (const [number, { way, topic, form }] of DOORS.entries()) {
      const email = `user${number}@example.com`
      const fields = { html, ...(topic && { topic_id: news.id }) }
      doors.push({ way, form, email, id: await broadcastTo(acme, await makeSegment(acme, [{ email }]), fields) })
    }
    await sendAll(app)
    return {
      app,
      acme,
      doors,
      async press({ id, form }: { id: string; form: string }) {
        const [copy] = await copiesOf(app, acme, id)
        const [, url = ''] = /href="(.*?)"/.exec((await acme.get(`/emails/${copy!.id}`)).body.html) ?? []
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        return (await app.server.inject({ method: 'POST', url: new URL(url).pathname, payload: form, headers }))
          .statusCode
      },
      unsubscribed: async (id: string) => (await acme.get(`/broadcasts/${id}/recipients?type=unsubscribed`)).body.data,
    }
  }

  /** From now on no recipient of the team can be marked. Undone by the function returned. */
  async function breakMarking(app: App, { team }: Client) {
    const name = raw(`broken_${team.replaceAll('-', '_')}`)
    await app.db.query(sql`
      create function ${name}() returns trigger language plpgsql as $$
      begin raise exception 'the disk is full'; end $$`)
    await app.db.query(sql`
      create trigger ${name} before update on broadcast_recipients for each row
      when (new.team_id = ${raw(`'${team}'`)}) execute function ${name}()`)
    return () => app.db.query(sql`drop function ${name} cascade`)
  }

  test('changes contact, broadcast and history together, or nothing', async () => {
    const { app, acme, doors, press, unsubscribed } = await startBroadcasts()
    const mend = await breakMarking(app, acme)
    const before = await stateOf(app.db, acme.team)
    for (const door of doors) {
      expect(await press(door), door.way).toBe(500)
      expect(await stateOf(app.db, acme.team), door.way).toEqual(before)
    }
    await mend()

    for (const door of doors) {
      expect(await press(door), door.way).toBe(200)
      expect(await unsubscribed(door.id), door.way).toMatchObject([{ email: door.email }])
    }

    const told = (await acme.events()).filter(({ type }) => type === 'email.unsubscribed')
    expect(told.map(({ data }) => data.to)).toEqual(doors.map(({ email }) => [email]))
  })

  test('used twice changes nothing more, and tells nothing new of the contact', async () => {
    const { app, acme, doors, press } = await startBroadcasts()
    const pressAll = async () => {
      for (const door of doors) expect(await press(door), door.way).toBe(200)
      const { contacts, contact_topics, broadcast_recipients } = await stateOf(app.db, acme.team)
      const told = (await acme.events()).filter(({ type }) => type.startsWith('contact.'))
      return { contacts, contact_topics, broadcast_recipients, told }
    }
    const once = await pressAll()
    app.clock.advance(60)

    expect(await pressAll()).toEqual(once)
    const marked = await app.db.query(sql`
      select from broadcast_recipients where team_id = ${acme.team} and unsubscribed_at is not null`)
    expect(marked).toHaveLength(doors.length)
  })

  test('that ends another topic of the page leaves the copy as it is', async () => {
    const { acme, doors, press, unsubscribed } = await startBroadcasts()
    const { body: offers } = await acme.post('/topics', { name: 'Offers', visibility: 'public' })

    expect(await press({ id: doors[0]!.id, form: `choice=out&topic=${offers.id}` })).toBe(200)

    expect(await unsubscribed(doors[0]!.id)).toEqual([])
  })
})
