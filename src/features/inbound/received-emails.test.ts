import { describe, expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { arrive, RICH, receivingTeam, written } from '../../../test/harness/arriving.ts'
import { startDnsServer } from '../../../test/harness/dns-server.ts'
import { domainNamed } from '../../../test/harness/domains.ts'
import { sql } from '../../kernel/db/sql.ts'
import { deleteReceived } from './intake/removal.ts'

describe('mail that arrived', () => {
  test('is in the list for whoever was told that it was taken, with all that is in it', async () => {
    const app = await startApp()
    const { client, domain } = await receivingTeam(app, 'acme')

    await arrive(app, RICH, { to: [`desk@${domain}`] })

    // Nobody else reads it here. Where that takes longer than the list waits, the next look finds what this one has begun.
    const list = async () => (await client.get('/emails/receiving')).body
    await expect.poll(list).toMatchObject({
      has_more: false,
      data: [
        {
          from: 'Ada <ada@example.net>',
          to: ['desk@inbox.example'],
          cc: [],
          received_for: [`desk@${domain}`],
          subject: 'Hello',
          message_id: '<one@example.net>',
          attachments: [{ filename: 'logo.png' }, { filename: 'notes.txt' }],
        },
      ],
    })
  })

  test('waits for what arrived before it, so that nobody who pages misses a message', async () => {
    const app = await startApp()
    const { client, domain } = await receivingTeam(app, 'acme')
    const receive = async () => (await arrive(app, RICH, { to: [`desk@${domain}`] })).message
    const listed = async (query = '') =>
      (await client.get(`/emails/receiving${query}`)).body.data.map(({ id }: { id: string }) => id)
    const [first, second, third] = [await receive(), await receive(), await receive()]
    const found = await hide(app, second)

    const [head, ...others] = await listed()
    expect([head, ...others]).toEqual([first])
    expect(await listed(`?limit=10&before=${head}`)).toEqual([])
    await found()

    expect(await listed(`?limit=10&before=${head}`)).toEqual([third, second])
    expect(await listed()).toEqual([third, second, first])
  })

  test('that cannot be read is listed after a minute with what its header says, and holds up nobody', async () => {
    const app = await startApp()
    const { client, domain } = await receivingTeam(app, 'acme')
    const [unread, read] = [
      (await arrive(app, RICH, { to: [`desk@${domain}`] })).message,
      (await arrive(app, RICH, { to: [`desk@${domain}`] })).message,
    ]
    await hide(app, unread)
    await client.get(`/emails/receiving/${read}`)

    app.clock.advance(61)

    const { data } = (await client.get('/emails/receiving')).body
    expect(data).toMatchObject([
      { id: read, attachments: [{}, {}] },
      { id: unread, subject: 'Hello', attachments: [] },
    ])
  })

  test('can be read at once, before any job has looked at it, and is told about once', async () => {
    const app = await startApp()
    const { client, domain } = await receivingTeam(app, 'acme')
    const { message: id } = await arrive(app, RICH, { to: [`desk@${domain}`] })

    const first = (await client.get(`/emails/receiving/${id}`)).body
    await app.runDueJobs()
    const second = (await client.get(`/emails/receiving/${id}`)).body

    expect(first).toMatchObject({
      object: 'email',
      text: null,
      html_format: 'data_uri',
      headers: { subject: 'Hello', 'x-trace': 'one, two' },
      attachments: [
        { filename: 'logo.png', content_id: 'logo@example.net', content_disposition: 'inline', size: 8 },
        { filename: 'notes.txt', content_type: 'text/plain', content_disposition: 'attachment', size: 5 },
      ],
    })
    expect(first.created_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(second.attachments).toEqual(first.attachments)
    const events = (await client.events()).filter(({ type }) => type === 'email.received')
    expect(events).toHaveLength(1)
    expect(events[0]!.data).toMatchObject({
      email_id: id,
      from: 'ada@example.net',
      received_for: [`desk@${domain}`],
      attachments: [{ filename: 'logo.png' }, { filename: 'notes.txt' }],
    })
  })

  test('has its images in the html, or pointers to them', async () => {
    const app = await startApp()
    const { client, domain } = await receivingTeam(app, 'acme')
    const { message: id } = await arrive(app, RICH, { to: [`desk@${domain}`] })

    const embedded = (await client.get(`/emails/receiving/${id}?html_format=data_uri`)).body
    const pointing = (await client.get(`/emails/receiving/${id}?html_format=cid`)).body

    expect(embedded.html.trim()).toBe(
      '<p>Grüße</p><img src="data:image/png;base64,iVBORw0KGgo="><img src="cid:nobody">',
    )
    expect(pointing).toMatchObject({ html_format: 'cid' })
    expect(pointing.html.trim()).toBe('<p>Grüße</p><img src="cid:logo@example.net"><img src="cid:nobody">')
    expect((await client.get(`/emails/receiving/${id}?html_format=pdf`)).status).toBe(422)
  })

  test('and its attachments are downloaded with links, without a key, until these expire', async () => {
    const app = await startApp()
    const { client, domain } = await receivingTeam(app, 'acme')
    const { message: id } = await arrive(app, RICH, { to: [`desk@${domain}`] })
    const { raw } = (await client.get(`/emails/receiving/${id}`)).body
    const { data } = (await client.get(`/emails/receiving/${id}/attachments`)).body
    const notes = (await client.get(`/emails/receiving/${id}/attachments/${data.at(-1).id}`)).body
    const pathOf = (url: string) => new URL(url).pathname

    expect((await app.send({ url: pathOf(raw.download_url) })).text).toBe(RICH.toString())
    expect(notes).toMatchObject({ object: 'attachment', filename: data.at(-1).filename })
    const contents = await Promise.all(
      data.map(async (one: { download_url: string }) => (await app.send({ url: pathOf(one.download_url) })).text),
    )
    expect(contents).toContain('hello')
    app.clock.advance(3_601)
    expect((await app.send({ url: pathOf(raw.download_url) })).status).toBe(404)
    expect((await app.send({ url: pathOf(notes.download_url) })).status).toBe(404)
  })

  test('and attachments without content are attachments', async () => {
    const app = await startApp()
    const { client, domain } = await receivingTeam(app, 'acme')
    const file = (name: string, encoding: string) =>
      `Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=${name}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`
    const parts = [file('a.log', 'base64'), file('b.log', 'quoted-printable'), file('c.log', '7bit')]
    const several = written({
      headers: ['Content-Type: multipart/*; boundary=b'],
      body: `--b\r\n\r\nHi.\r\n${parts.map((part) => `--b\r\n${part}`).join('\r\n')}\r\n--b--\r\n`,
    })
    const alone = Buffer.from(`From: ada@example.net\r\n${file('d.log', 'base64')}`)
    const found: unknown[] = []

    for (const raw of [several, alone]) {
      const { message: id } = await arrive(app, raw, { to: [`desk@${domain}`] })
      await client.get(`/emails/receiving/${id}`)
      for (const { filename, size, download_url } of (await client.get(`/emails/receiving/${id}/attachments`)).body
        .data) {
        const { status, text } = await app.send({ url: new URL(download_url).pathname })
        found.push([filename, size, status, text])
      }
    }

    expect(found.sort()).toEqual(['a', 'b', 'c', 'd'].map((name) => [`${name}.log`, 0, 200, '']))
  })

  test('that is large is kept in the blob store, byte for byte', async () => {
    const app = await startApp()
    const { client, domain } = await receivingTeam(app, 'acme')
    const large = written({ body: `${'A line of text.\r\n'.repeat(40_000)}` })

    const { message: id } = await arrive(app, large, { to: [`desk@${domain}`] })

    const { raw, text } = (await client.get(`/emails/receiving/${id}`)).body
    expect(text.length).toBeGreaterThan(500_000)
    expect((await app.send({ url: new URL(raw.download_url).pathname })).text).toBe(large.toString())
    expect(await app.db.query(sql`select from received_raws where team_id = ${client.team}`)).toHaveLength(0)
  })

  test.each(['message', 'team'])('is gone with all of its parts when its %s is deleted', async (deleted) => {
    const app = await startApp()
    const { client, domain } = await receivingTeam(app, 'acme')
    const { message: id } = await arrive(app, written({ body: 'Hello' }), { to: [`desk@${domain}`] })
    expect((await client.get(`/emails/receiving/${id}`)).status).toBe(200)
    const parts = () =>
      app.db.query(sql`
        select 'raw' as part from received_raws where received_id = ${id}
        union all select 'body' from received_bodies where received_id = ${id}`)
    expect(await parts()).toHaveLength(2)

    if (deleted === 'message') await app.db.transaction((trx) => deleteReceived(trx, client.team, [id]))
    else await app.db.query(sql.write`delete from teams where id = ${client.team}`)

    expect(await parts()).toEqual([])
  })

  test('for two teams is in both inboxes, each with its own recipients', async () => {
    const app = await startApp()
    const acme = await receivingTeam(app, 'acme')
    const globex = await receivingTeam(app, 'globex')

    await arrive(app, written(), { to: [`a@${acme.domain}`, `b@${globex.domain}`, `c@${acme.domain}`] })
    await app.runDueJobs()

    const inboxes = await Promise.all(
      [acme, globex].map(async ({ client }) => (await client.get('/emails/receiving')).body.data),
    )
    expect(inboxes.map((inbox) => inbox.map((mail: { received_for: string[] }) => mail.received_for))).toEqual([
      [[`a@${acme.domain}`, `c@${acme.domain}`]],
      [[`b@${globex.domain}`]],
    ])
    const [{ id }] = inboxes[0]
    expect((await globex.client.get(`/emails/receiving/${id}`)).status).toBe(404)
    expect((await globex.client.get(`/emails/receiving/${id}/attachments`)).status).toBe(404)
  })

  test('that nobody can make sense of is kept all the same', async () => {
    const app = await startApp()
    const { client, domain } = await receivingTeam(app, 'acme')
    const garbage = Buffer.from([0, 255, 254, 13, 10, 0, 61, 63, 13, 10])

    const answer = await arrive(app, garbage, { to: [`desk@${domain}`] })
    await app.runDueJobs()

    expect(answer.kind).toBe('accepted')
    const [{ id }] = (await client.get('/emails/receiving')).body.data
    const { raw } = (await client.get(`/emails/receiving/${id}`)).body
    const reply = await app.server.inject({ url: new URL(raw.download_url).pathname })
    expect(reply.rawPayload).toEqual(garbage)
  })

  test('and ended the process that read it twice is shown unread, and read by nobody', async () => {
    const app = await startApp()
    const { client, domain } = await receivingTeam(app, 'acme')
    const { message: id } = await arrive(app, RICH, { to: [`desk@${domain}`] })
    await app.db.query(sql`update jobs set crashes = 3 where payload ->> 'id' = ${id}`)

    await app.runDueJobs()

    const { body } = await client.get(`/emails/receiving/${id}`)
    expect(body).toMatchObject({
      ...{ from: 'Ada <ada@example.net>', subject: 'Hello', html: null, text: null, attachments: [] },
      authentication: { spf: { result: 'permerror' }, dmarc: { result: 'permerror' } },
    })
    expect((await app.send({ url: new URL(body.raw.download_url).pathname })).text).toBe(RICH.toString())
    expect((await client.events()).filter(({ type }) => type === 'email.received')).toHaveLength(1)
    expect(
      await app.db.query(sql`select last_error from jobs where payload ->> 'id' = ${id} and failed_at is not null`),
    ).toEqual([{ last_error: 'It crashed its process 3 times' }])
  })

  test('that is large has its images in the html, too', async () => {
    const app = await startApp()
    const { client, domain } = await receivingTeam(app, 'acme')
    const large = Buffer.from(RICH.toString().replace('<p>Grüße</p>', `<p>Grüße</p>${'ł😀 "'.repeat(120_000)}`))
    const { message: id } = await arrive(app, large, { to: [`desk@${domain}`] })

    const { body } = await client.get(`/emails/receiving/${id}`)

    expect(body.html.trim()).toBe(
      `<p>Grüße</p>${'ł😀 "'.repeat(120_000)}<img src="data:image/png;base64,iVBORw0KGgo="><img src="cid:nobody">`,
    )
    expect(body).toMatchObject({ object: 'email', text: null, html_format: 'data_uri' })
  })

  test('is judged by SPF, DKIM and DMARC', async () => {
    const dns = await startDnsServer()
    const app = await startApp({ POSTWREN_DNS_SERVERS: dns.address })
    const { client, domain } = await receivingTeam(app, 'acme')
    dns.set('example.net', { TXT: [['v=spf1 ip4:192.0.2.1 -all']] })
    dns.set('_dmarc.example.net', { TXT: [['v=DMARC1; p=reject']] })

    await arrive(app, written(), { to: [`desk@${domain}`] })
    await app.runDueJobs()

    const [{ authentication }] = (await client.get('/emails/receiving')).body.data
    const metrics = await app.metrics.render()
    expect(metrics).toContain('postwren_received_checks_total{check="spf",result="pass"} 1\n')
    expect(metrics).toContain('postwren_received_checks_total{check="arc",result="none"} 1\n')
    expect(metrics).toContain('postwren_smtp_messages_total{what="received"} 1\n')
    expect(authentication).toMatchObject({
      spf: { result: 'pass', domain: 'example.net' },
      dkim: [],
      dmarc: { result: 'pass', domain: 'example.net', policy: 'reject' },
      arc: { result: 'none' },
    })
  })
})

describe('who may be written to', () => {
  const recipient = {
    peer: { id: 'x', address: '192.0.2.1', helo: 'x', isEncrypted: false },
    user: null,
    from: 'a@b.example',
  }

  test('is anybody while nothing leaves this machine', async () => {
    const app = await startApp()
    await app.as('acme')

    const { message: id } = await arrive(app, written(), { to: ['anybody@anywhere.example'] })

    expect(
      await app.db.query(sql`
        select from received_emails where id = ${id} and team_id = (select id from teams order by id limit 1)`),
    ).toHaveLength(1)
  })

  test('is a domain that receives, and nobody else', async () => {
    const app = await startApp({ POSTWREN_DELIVERY: 'direct' })
    const { client, domain } = await receivingTeam(app, 'acme')
    const silent = `silent-${domain}`
    await client.post('/domains', domainNamed(silent))
    await app.db.query(sql`update domains set is_receiving_proven = true where name = ${domain}`)

    expect(await app.handler.checkRecipient(`any.one+tag@${domain.toUpperCase()}`, recipient)).toBeNull()
    for (const address of [
      `a@${silent}`,
      `a@sub.${domain}`,
      'a@example.net',
      'postmaster',
      `a@${domain}.example.net`,
    ]) {
      expect(await app.handler.checkRecipient(address, recipient)).toMatchObject({ code: 550, enhanced: '5.7.1' })
    }
  })
})

/** As when the blob store is away: nobody can read the message until it is found again. */
async function hide(app: App, id: string) {
  const set = (blob: string | null) => app.db.query(sql`update received_emails set raw_blob = ${blob} where id = ${id}`)
  const [kept] = await app.db.query<{ raw: Buffer; team_id: string }>(sql`
    delete from received_raws where received_id = ${id} returning raw, team_id`)
  await set('received/not-there')
  return async () => {
    await app.db.query(sql`
      insert into received_raws (team_id, received_id, raw) values (${kept!.team_id}, ${id}, ${kept!.raw})`)
    await set(null)
  }
}
