import { createHash } from 'node:crypto'
import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../../test/harness/app.ts'
import { arrive, PEER, RICH, receivingDomain, submit, written } from '../../../test/harness/arriving.ts'
import { sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'

const put = (client: Client, url: string, payload: object) => client.send({ method: 'PUT', url, payload })
const search = (client: Client, query: string, more = '') =>
  client.get(`/api/v1/search?query=${encodeURIComponent(query)}${more}`)
const idsIn = ({ body }: { body: { messages: { ID: string }[] } }) => body.messages.map(({ ID }) => ID)

describe('messages', () => {
  test('are listed, the newest first, with numbers about all of them', async () => {
    const { app, acme } = await startAcme()
    const { domain } = await receivingDomain(acme)
    const sent = await sendEmail(acme, {
      to: ['Ada <ada@example.com>'],
      bcc: ['hidden@example.com'],
      reply_to: 'desk@acme.dev',
      text: 'Hello there',
      tags: [{ name: 'kind', value: 'hello' }],
    })
    const { message: received } = await arrive(app, RICH, { to: [`desk@${domain}`] })
    await put(acme, '/api/v1/tags', { IDs: [sent], Tags: ['Mine'] })
    await put(acme, '/api/v1/messages', { IDs: [sent], Read: true })

    const { body } = await acme.get('/api/v1/messages')

    expect(body).toMatchObject({ total: 2, unread: 1, count: 2, messages_count: 2, messages_unread: 1, start: 0 })
    expect(body.tags).toEqual(['Mine'])
    expect(body.messages).toMatchObject([
      {
        ID: received,
        From: { Name: 'Ada', Address: 'ada@example.net' },
        Read: false,
        Attachments: 1,
        Size: RICH.length,
      },
      {
        ID: sent,
        MessageID: `${sent}@acme.dev`,
        From: { Name: 'Acme', Address: 'hello@acme.dev' },
        To: [{ Name: 'Ada', Address: 'ada@example.com' }],
        Cc: [],
        Bcc: [{ Name: '', Address: 'hidden@example.com' }],
        ReplyTo: [{ Name: '', Address: 'desk@acme.dev' }],
        ...{ Read: true, Snippet: 'Hello there', Tags: ['Mine', 'kind:hello'], Attachments: 0 },
      },
    ])
    // Addressed to somebody who is not named in it.
    expect(body.messages[0].Bcc).toEqual([{ Name: '', Address: `desk@${domain}` }])
  })

  test('are paged through by numbers', async () => {
    const { acme } = await startAcme()
    const ids: string[] = []
    for (const subject of ['a', 'b', 'c', 'd']) ids.unshift(await sendEmail(acme, { subject }))
    const page = async (query: string) => idsIn(await acme.get(`/api/v1/messages?${query}`))

    expect(await page('start=0&limit=2')).toEqual(ids.slice(0, 2))
    expect(await page('start=2&limit=2')).toEqual(ids.slice(2))
    expect(await page('start=3')).toEqual(ids.slice(3))
    expect(await page('start=4')).toEqual([])
    expect(await page('start=999999999&limit=999999999')).toEqual([])
    expect(await page('limit=0')).toEqual([])
    expect(idsIn(await search(acme, 'from:@acme.dev', '&start=1&limit=2'))).toEqual(ids.slice(1, 3))
    expect((await search(acme, 'from:@acme.dev', '&start=1&limit=2')).body).toMatchObject({
      ...{ messages_count: 4, messages_unread: 4, total: 4, count: 2, start: 1 },
    })
    for (const query of ['start=-1', 'limit=x', 'start=1e3', 'start=1&start=2'])
      expect((await acme.get(`/api/v1/messages?${query}`)).status).toBe(400)
  })

  test('are found by whole addresses, words and what they have', async () => {
    const { app, acme } = await startAcme()
    const { domain } = await receivingDomain(acme)
    const ada = await sendEmail(acme, { to: 'ada@example.com', subject: 'Your code', text: 'It is 123 456' })
    const other = await sendEmail(acme, { to: 'granada@example.com', subject: 'Your order' })
    const { message: rich } = await arrive(app, RICH, { to: [`desk@${domain}`] })

    expect(idsIn(await search(acme, 'to:ada@example.com'))).toEqual([ada])
    expect(idsIn(await search(acme, 'subject:your -to:ada@example.com'))).toEqual([other])
    expect(idsIn(await search(acme, '"123 456"'))).toEqual([ada])
    expect(idsIn(await search(acme, 'grüße'))).toEqual([rich])
    expect(idsIn(await search(acme, 'has:inline has:attachment'))).toEqual([rich])
    expect(idsIn(await search(acme, '!has:attachment'))).toEqual([other, ada])
    expect(idsIn(await search(acme, `bcc:desk@${domain}`))).toEqual([rich])
    expect((await search(acme, 'to:nobody@example.com')).body).toMatchObject({
      messages_count: 0,
      total: 3,
      messages: [],
    })
    expect(await search(acme, '')).toMatchObject({ status: 400, body: { Error: 'no search query' } })
    expect((await acme.get('/api/v1/search')).status).toBe(400)
  })

  test('are deleted by id, by search, or all of them; what is scheduled stays', async () => {
    const { acme } = await startAcme()
    const a = await sendEmail(acme, { subject: 'a' })
    const b = await sendEmail(acme, { subject: 'b' })
    const c = await sendEmail(acme, { to: 'x@example.com' })
    const d = await sendEmail(acme, { subject: 'd' })
    const scheduled = await sendEmail(acme, { scheduled_at: 'in 1 hour' })

    // Nothing that could be taken for "all" is.
    for (const payload of [{ IDs: ['nothing'] }, { IDs: [newId()] }, { ids: ['latest'] }])
      expect((await acme.delete('/api/v1/messages', payload)).text).toBe('ok')
    for (const payload of [{ IDs: 'all' }, { IDs: [1] }, [], '"all"'] as const)
      expect((await acme.delete('/api/v1/messages', payload)).status).toBe(400)
    for (const query of ['', '?query=-is:what', '?query=after:id-7'])
      expect((await acme.delete(`/api/v1/search${query}`)).status).toBe(400)
    expect(idsIn(await acme.get('/api/v1/messages'))).toEqual([d, c, b, a])

    await acme.delete('/api/v1/messages', { IDs: [a.toUpperCase(), a, scheduled] })
    await acme.delete('/api/v1/search?query=to:x@example.com')
    expect(idsIn(await acme.get('/api/v1/messages'))).toEqual([d, b])
    expect((await acme.delete('/api/v1/messages')).text).toBe('ok')
    expect(idsIn(await acme.get('/api/v1/messages'))).toEqual([])
    expect((await acme.get(`/emails/${scheduled}`)).body.last_event).toBe('scheduled')
  })

  test('that were for real people are not deleted', async () => {
    const { acme } = await startAcme({ POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://relay.example.com' })

    expect(await acme.delete('/api/v1/messages')).toMatchObject({ status: 403 })
    expect(await acme.delete('/api/v1/messages', { IDs: [newId()] })).toMatchObject({ status: 403 })
    expect((await put(acme, '/api/v1/chaos', {})).status).toBe(403)
    expect((await acme.get('/api/v1/webui')).body).toMatchObject({ ChaosEnabled: false, HideDeleteAllButton: true })
  })

  test('are marked as read, and have tags that can be renamed', async () => {
    const { acme } = await startAcme()
    const [a, b] = [await sendEmail(acme, { subject: 'a' }), await sendEmail(acme, { subject: 'b' })]
    const unread = async () => idsIn(await search(acme, 'is:unread'))

    await put(acme, '/api/v1/messages', { Read: true })
    expect(await unread()).toEqual([])
    await put(acme, '/api/v1/messages', { Search: 'subject:a' })
    expect(await unread()).toEqual([a])
    await put(acme, '/api/v1/messages', { IDs: [], Read: false })
    expect(await unread()).toEqual([b, a])
    expect((await put(acme, '/api/v1/messages', { IDs: [a], Search: 'a', Read: true })).status).toBe(400)

    await put(acme, '/api/v1/tags', { IDs: [a, b, 'x'], Tags: ['One', 'Two'] })
    await put(acme, `/api/v1/tags/${encodeURIComponent('One')}`, { Name: 'Two' })
    await put(acme, '/api/v1/tags', { IDs: [b], Tags: ['Ünï / 50%'] })
    expect((await acme.get('/api/v1/tags')).body).toEqual(['Two', 'Ünï / 50%'])
    await acme.delete(`/api/v1/tags/${encodeURIComponent('Ünï / 50%')}`)
    expect((await acme.get('/api/v1/tags')).body).toEqual(['Two'])
    expect(idsIn(await search(acme, 'tag:two'))).toEqual([a])
    expect((await acme.get('/api/v1/info')).body).toMatchObject({ Messages: 2, Unread: 2, Tags: { Two: 1 } })
    expect((await put(acme, '/api/v1/tags', { IDs: [b], Tags: ['a,b'] })).status).toBe(400)
  })
})

describe('one message', () => {
  test('has its text, its html and its files, and is read then', async () => {
    const { app, acme } = await startAcme()
    const { domain } = await receivingDomain(acme)
    const { message: id } = await arrive(app, RICH, { to: [`desk@${domain}`] })

    const { body } = await acme.get('/api/v1/message/latest')

    expect(body).toMatchObject({
      ...{ ID: id, MessageID: 'one@example.net', Subject: 'Hello', ReturnPath: 'ada@example.net', Size: RICH.length },
      HTML: expect.stringContaining('<p>Grüße</p><img src="cid:logo@example.net">'),
      Inline: [{ FileName: 'logo.png', ContentType: 'image/png', ContentID: 'logo@example.net', Size: 8 }],
      Attachments: [
        {
          ...{ FileName: 'notes.txt', Size: 5, ContentID: '' },
          Checksums: {
            MD5: createHash('md5').update('hello').digest('hex'),
            SHA1: createHash('sha1').update('hello').digest('hex'),
            SHA256: createHash('sha256').update('hello').digest('hex'),
          },
        },
      ],
      ListUnsubscribe: { Header: '', Links: [], Errors: '', HeaderPost: '' },
    })
    expect((await acme.get('/api/v1/messages')).body.unread).toBe(0)
    expect((await acme.get(`/api/v1/message/${id}/headers`)).body).toMatchObject({
      ...{ 'Message-Id': ['<one@example.net>'], 'Mime-Version': ['1.0'], 'X-Trace': ['one', 'two'] },
    })
    expect((await acme.get(`/api/v1/message/${id}/raw`)).text).toBe(RICH.toString())
    const part = await acme.get(`/api/v1/message/${id}/part/${body.Attachments[0].PartID}`)
    expect([part.text, part.headers['content-type'], part.headers['x-content-type-options']]).toEqual([
      ...['hello', 'text/plain', 'nosniff'],
    ])
    expect((await acme.get(`/api/v1/message/${id}/part/${body.Inline[0].PartID}/thumb`)).headers['content-type']).toBe(
      'image/png',
    )
    expect((await acme.get(`/api/v1/message/${id}/part/${body.Attachments[0].PartID}/thumb`)).status).toBe(404)
  })

  test('is not there under ids that are none', async () => {
    const { acme } = await startAcme()
    const id = await sendEmail(acme)
    const paths = ['', '/headers', '/raw', '/html-check', '/link-check', '/sa-check', `/part/${id}`, '/part/1/thumb']
    for (const wrong of [newId(), 'x', "1'--", '%00', '..%2f..', 'LATEST', '%F0%9F%90%A6'])
      for (const path of paths) {
        const { status, body } = await acme.get(`/api/v1/message/${wrong}${path}`)
        expect([404, 400]).toContain(status)
        expect(body).toEqual({ Error: expect.any(String) })
      }
    for (const file of [`${newId()}.html`, `${id}.exe`, id, '.html', 'latest', '%2e%2e.txt'])
      expect((await acme.get(`/view/${file}`)).status).toBe(404)
    expect(await acme.get('/api/v1/nothing')).toMatchObject({ status: 404, body: { Error: expect.any(String) } })
    expect((await acme.get('/api/v1/message/latest/raw')).text).toContain('Subject: Hello')
  })

  test('is shown in a browser as a page without any power', async () => {
    const { app, acme } = await startAcme()
    const { domain } = await receivingDomain(acme)
    const { message: rich } = await arrive(app, RICH, { to: [`desk@${domain}`] })
    const evil = await sendEmail(acme, { html: '<script>alert(1)</script><p>Hi</p>' })

    const { headers, text } = await acme.get(`/view/${evil}.html`)
    const plain = await acme.get(`/view/${evil}.txt`)
    const shown = await acme.get(`/view/${rich}.html`)

    expect(text).toContain('<p>Hi</p>')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toMatch(/^sandbox (?!.*allow-(?:scripts|same-origin|forms))/)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
    expect([plain.text.trim(), plain.headers['content-type']]).toEqual(['Hi', 'text/plain; charset=utf-8'])
    expect(shown.text).toContain('src="data:image/png;base64,iVBORw0KGgo="')
    // A file that calls itself a page is none of ours either.
    const file = await sendEmail(acme, {
      attachments: [{ filename: 'a.html', content: 'PHA+', content_type: 'text/html' }],
    })
    const { body } = await acme.get(`/api/v1/message/${file}`)
    const part = await acme.get(`/api/v1/message/${file}/part/${body.Attachments[0].PartID}`)
    expect(part.headers['content-security-policy']).toBe("default-src 'none'; sandbox")
  })

  test('says how large ones are, too', async () => {
    const { acme } = await startAcme()
    const content = Buffer.alloc(3 * 1024 * 1024, 'x')
    const html = `<p>${'word '.repeat(100_000)}</p>`
    const id = await sendEmail(acme, {
      html,
      attachments: [{ filename: 'a.bin', content: content.toString('base64') }],
    })

    const { body } = await acme.get(`/api/v1/message/${id}`)
    const raw = await acme.get(`/api/v1/message/${id}/raw`)

    expect(body.HTML).toBe(html)
    expect(body.Attachments[0].Checksums.SHA256).toBe(createHash('sha256').update(content).digest('hex'))
    expect(raw.text.length).toBeGreaterThan(content.length)
  })

  test('is checked', async () => {
    const { acme } = await startAcme()
    const id = await sendEmail(acme, {
      html: '<!-- <b> --><div style="display:grid"><a href="http://127.0.0.1:1/gone">Go</a></div>',
    })

    const html = (await acme.get(`/api/v1/message/${id}/html-check`)).body
    const links = (await acme.get(`/api/v1/message/${id}/link-check?follow=true`)).body
    const spam = (await acme.get(`/api/v1/message/${id}/sa-check`)).body

    expect(html.Total.Supported + html.Total.Partial + html.Total.Unsupported).toBeCloseTo(100, 0)
    expect(html.Total).toMatchObject({ Tests: expect.any(Number), Nodes: 2 })
    const grid = html.Warnings.find(({ Slug }: { Slug: string }) => Slug === 'css-display-grid')
    expect(grid).toMatchObject({ URL: 'https://www.caniemail.com/features/css-display-grid/', Category: 'css' })
    expect(grid.Results).toContainEqual(
      expect.objectContaining({ Family: 'Outlook', Platform: 'Windows', Support: 'no' }),
    )
    expect(html.Platforms.Windows).toContain('Outlook')
    expect(links).toMatchObject({ Errors: 1, Links: [{ URL: 'http://127.0.0.1:1/gone', StatusCode: 0 }] })
    expect(spam).toEqual({
      Error: 'There is no spam filter: set POSTWREN_SPAMD_URL.',
      IsSpam: false,
      Score: 0,
      Rules: [],
    })
  })
})

describe('sending', () => {
  test('takes what clients of Mailpit send, in whatever case', async () => {
    const { acme } = await startAcme()

    const { status, body } = await acme.post('/api/v1/send', {
      Attachments: [{ Content: Buffer.from('hello').toString('base64'), FileName: 'a.txt', ContentType: 'text/plain' }],
      Bcc: ['bcc@example.com'],
      Cc: [{ Email: 'cc@example.com', Name: 'CC' }],
      From: { Email: 'from@example.com', Name: 'From "me", them' },
      HTML: '<p>hello</p>',
      Headers: { 'X-Trace': '1' },
      ReplyTo: [{ Email: 'replyto@example.com', Name: 'ReplyTo' }],
      Subject: 'Hello Mailpit',
      Tags: ['Sign up'],
      text: 'hello',
      To: [{ Email: 'jane@example.com', Name: 'Jane' }],
    })

    expect(status).toBe(200)
    const message = (await acme.get(`/api/v1/message/${body.ID}`)).body
    expect(message).toMatchObject({
      From: { Name: 'From "me", them', Address: 'from@example.com' },
      To: [{ Name: 'Jane', Address: 'jane@example.com' }],
      Cc: [{ Name: 'CC', Address: 'cc@example.com' }],
      Bcc: [{ Name: '', Address: 'bcc@example.com' }],
      ReplyTo: [{ Name: 'ReplyTo', Address: 'replyto@example.com' }],
      ...{ Subject: 'Hello Mailpit', Text: 'hello', HTML: '<p>hello</p>', Tags: ['Sign up'] },
      Attachments: [{ FileName: 'a.txt', Size: 5 }],
    })
    expect((await acme.get(`/api/v1/message/${body.ID}/headers`)).body['X-Trace']).toEqual(['1'])
  })

  test.each([
    [{}, 'From'],
    [{ From: { Email: 'a@example.com' } }, '`to`'],
    [{ From: { Email: 'x' }, To: [{ Email: 'b@example.com' }] }, '`from`'],
    [
      { From: { Email: 'a@example.com', Name: 'a\r\nBcc: x@example.com' }, To: [{ Email: 'b@example.com' }] },
      'From.Name',
    ],
    [{ From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.com>, <c@example.com' }] }, '`to`'],
    [{ From: 'a@example.com', To: 'b@example.com' }, 'From'],
  ])('refuses %j', async (mail, words) => {
    const { acme } = await startAcme()

    const { status, body } = await acme.post('/api/v1/send', mail)

    expect(status).toBe(400)
    expect(body.Error).toContain(words)
  })

  test('is not released where there is no relay', async () => {
    const { acme } = await startAcme()
    const id = await sendEmail(acme)

    const { status, body } = await acme.post(`/api/v1/message/${id}/release`, { To: ['ada@example.com'] })

    expect([status, body.Error]).toEqual([403, expect.stringContaining('POSTWREN_RELAY_URL')])
    expect((await acme.get('/api/v1/webui')).body.MessageRelay.Enabled).toBe(false)
  })
})

test('chaos is what the SMTP port does, and leaves the rest of a scenario alone', async () => {
  const { app, acme } = await startAcme()
  const box = await app.sandboxOf(acme)
  const rules = [{ match: { to: 'a@example.com' }, outcome: { reply: '550 no' } }]
  await put(box, '/scenario', { rules, smtp: { auth: { probability: 0 } } })

  const calm = (await box.get('/api/v1/chaos')).body
  const set = await put(box, '/api/v1/chaos', { Recipient: { ErrorCode: 550, Probability: 100 } })
  const refused = await app.handler.checkRecipient('a@example.com', {
    user: (await app.handler.authenticate({ username: 'resend', password: box.token }, PEER)) as never,
    peer: PEER,
  } as never)

  const quiet = { ErrorCode: 451, Probability: 0 }
  expect(calm).toEqual({ Sender: quiet, Recipient: quiet, Authentication: { ErrorCode: 535, Probability: 0 } })
  expect(set.body).toMatchObject({ Sender: quiet, Recipient: { ErrorCode: 550, Probability: 100 } })
  expect(refused).toMatchObject({ code: 550 })
  expect((await box.get('/scenario')).body.rules).toEqual(rules)
  for (const wrong of [{ Sender: { Probability: 101 } }, { Sender: { ErrorCode: 200, Probability: 1 } }, { Sender: 1 }])
    expect((await put(box, '/api/v1/chaos', wrong)).status).toBe(400)
  expect((await put(box, '/api/v1/chaos', {})).body.Recipient.Probability).toBe(0)
})

test('what an application submits by SMTP is there at once', async () => {
  const { app, acme } = await startAcme()
  await submit(app, acme, written({ to: 'ada@example.com', subject: 'Welcome' }), ['ada@example.com', 'b@example.com'])

  const { body } = await search(acme, 'to:ada@example.com subject:welcome')

  expect(body.messages).toMatchObject([{ Subject: 'Welcome', Bcc: [{ Address: 'b@example.com' }] }])
})

test('nothing that a stranger sends is a mistake of ours', async () => {
  const { acme } = await startAcme()
  const requests: InjectOptions[] = [
    { method: 'PUT', url: '/api/v1/messages', payload: 'x', headers: { 'content-type': 'application/json' } },
    { method: 'PUT', url: '/api/v1/messages', payload: 'IDs=1', headers: { 'content-type': 'text/plain' } },
    { method: 'PUT', url: '/api/v1/tags', payload: { IDs: null, Tags: {} } },
    { method: 'PUT', url: '/api/v1/tags/%00', payload: { Name: 'x' } },
    { method: 'DELETE', url: `/api/v1/tags/${'x'.repeat(3_999)}`, payload: [] },
    { method: 'GET', url: '/api/v1/search?query=%00' },
    { method: 'GET', url: '/api/v1/search?query=a&query=b' },
    { method: 'GET', url: '/api/v1/search?query=%ED%A0%80' },
    { method: 'GET', url: `/api/v1/search?query=a&tz=${'x'.repeat(200)}` },
    { method: 'POST', url: '/api/v1/message/latest/release', payload: { To: ['x'.repeat(400)] } },
    { method: 'POST', url: '/api/v1/send', payload: { From: { Email: 'a@b.c' }, Headers: { 'a\r\nb': '1' } } },
  ]

  for (const request of requests) {
    const { status, text } = await acme.send(request)
    expect([status, text.slice(0, 200)]).toEqual([expect.toSatisfy((code: number) => code < 500), expect.any(String)])
  }
})
