import { describe, expect, test } from 'vitest'
import type { Client } from '../../../test/harness/app.ts'
import { SIMPLE, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { startFileServer, startSlowServer } from '../../../test/harness/file-server.ts'
import { makeGate } from '../../../test/harness/gate.ts'

const HELLO = Buffer.from('Hello, wörld!\n')

/** Sends an email with these attachments and lists them, in the order in which they were given. */
async function start() {
  const { app, acme } = await startAcme()
  const list = async (id: string) => (await acme.get(`/emails/${id}/attachments`)).body.data.reverse()
  return {
    app,
    acme,
    attach: async (...attachments: object[]) => list(await sendEmail(acme, { attachments })),
    refusal: async (...attachments: object[]) => {
      const { status, body } = await acme.post('/emails', { ...SIMPLE, attachments })
      expect(status).toBe(422)
      expect((await acme.get('/emails')).body.data).toEqual([])
      return [body.name, body.message]
    },
    download: async (url: string) => {
      const { pathname } = new URL(url)
      const reply = await app.server.inject({ method: 'GET', url: pathname })
      return { status: reply.statusCode, headers: reply.headers, content: reply.rawPayload }
    },
  }
}

describe('the content of an attachment', () => {
  test('comes in any of the forms that clients use', async () => {
    const { attach, download } = await start()
    const base64 = HELLO.toString('base64')
    const forms = {
      base64,
      'base64 for URLs': Buffer.from([0xfb, 0xff]).toString('base64url'),
      'base64 without padding': base64.replace(/=+$/, ''),
      'what JSON makes of a Buffer': JSON.parse(JSON.stringify(HELLO)),
      'a list of numbers': [...HELLO],
      'an empty Buffer': { type: 'Buffer', data: [] },
      'an empty text': '',
    }
    const contents: Record<string, Buffer> = {
      'base64 for URLs': Buffer.from([0xfb, 0xff]),
      'an empty Buffer': Buffer.alloc(0),
      'an empty text': Buffer.alloc(0),
    }

    const items = await attach(...Object.entries(forms).map(([filename, content]) => ({ filename, content })))

    for (const item of items) {
      const expected = contents[item.filename] ?? HELLO
      const { status, headers, content } = await download(item.download_url)
      expect(status, item.filename).toBe(200)
      expect(content, item.filename).toEqual(expected)
      expect(item.size).toBe(expected.length)
      expect(headers['content-length']).toBe(String(expected.length))
    }
    expect(items).toHaveLength(Object.keys(forms).length)
  })

  test('is downloaded when it is given as a URL, with the name and type that it has there', async () => {
    const { attach, download } = await start()
    const server = await startFileServer((request, response) => {
      if (request.url === '/moved') return void response.writeHead(302, { location: '/files/a%20report.pdf' }).end()
      response.setHeader('content-type', 'text/x-special; charset=utf-8')
      response.end(`content of ${request.url}`)
    })

    const items = await attach(
      { path: `${server.url}/files/a%20report.pdf?x=1` },
      { path: `${server.url}/moved`, filename: 'own name.csv', content_type: 'text/csv' },
      { path: `${server.url}/` },
    )

    expect(items.map(({ filename, content_type }: Record<string, string>) => [filename, content_type])).toEqual([
      ['a report.pdf', 'text/x-special'],
      ['own name.csv', 'text/csv'],
      [undefined, 'text/x-special'],
    ])
    expect((await download(items[0].download_url)).content.toString()).toBe('content of /files/a%20report.pdf?x=1')
    expect(server.requests).toContain('/moved')
  })

  test('may have a name that ends as the properties of every object are called', async () => {
    const { acme } = await startAcme()
    const names = ['x.constructor', 'x.toString', 'x.__proto__', 'x.hasOwnProperty']

    const reply = await acme.post('/emails', {
      ...SIMPLE,
      attachments: names.map((filename) => ({ filename, content: 'YQ==' })),
    })
    const { body } = await acme.get(`/emails/${reply.body.id}/attachments`)

    expect(body.data.map(({ content_type }: { content_type: string }) => content_type)).toEqual(
      names.map(() => 'application/octet-stream'),
    )
  })

  test('must be there, in one way and not in two', async () => {
    const { refusal } = await start()
    const text = 'Attachment must have either a `content` or `path`.'

    for (const file of [{}, { content: 'YQ==', path: 'http://127.0.0.1/a' }, { content: null, path: null }])
      expect(await refusal({ filename: 'a.txt', ...file })).toEqual(['invalid_attachment', text])
  })

  test('may be text, which is sent as it is', async () => {
    const { attach, download } = await start()
    const texts = [
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\nSUMMARY:Größe 🐦\r\nEND:VCALENDAR\r\n',
      '{"a":1}',
      'hello',
      'hello world',
      'README',
      'PASSWORD=',
      'name\nada\nbob\n',
      'YQ==YQ==',
      'a',
      ' ',
      `${'🐦'.repeat(600_000)} x`,
    ]

    const items = await attach(...texts.map((content) => ({ filename: 'invite.ics', content })))
    const [pdf, said] = await attach(
      { filename: 'x.pdf', content: '%PDF' },
      { filename: 'x', content: 'é', content_type: 'text/plain; charset=latin1' },
    )

    for (const [index, item] of items.entries())
      expect((await download(item.download_url)).content.equals(Buffer.from(texts[index]!)), texts[index]).toBe(true)
    expect(new Set(items.map((item: { content_type: string }) => item.content_type))).toEqual(
      new Set(['text/calendar; charset=utf-8']),
    )
    expect([pdf.content_type, said.content_type]).toEqual(['application/pdf', 'text/plain; charset=latin1'])
  })

  test('that can be base64 is base64', async () => {
    const { attach, download } = await start()
    const lines = Buffer.alloc(100, 'é').toString('base64').replace(/.{64}/g, '$&\r\n ')
    const contents = { test: 'test', 'unpadded end': 'YWI', padded: 'YWI=', 'in lines': lines }

    const items = await attach(...Object.entries(contents).map(([filename, content]) => ({ filename, content })))

    for (const { filename, download_url } of items)
      expect((await download(download_url)).content, filename).toEqual(
        Buffer.from(contents[filename as keyof typeof contents], 'base64'),
      )
  })

  test('that is no content is refused', async () => {
    const { refusal } = await start()

    expect(await refusal({ filename: 'a.pdf', content: 'data:application/pdf;base64,JVBERi0x' })).toEqual([
      'invalid_attachment',
      'The `content` of an attachment must be base64 without `data:…;base64,` in front of it.',
    ])
    for (const end of ['A', 'AA=', 'AAA=='])
      expect(await refusal({ filename: 'a.pdf', content: `${'AAAA'.repeat(500)}${end}` })).toEqual([
        'invalid_attachment',
        'The `content` of an attachment is truncated base64.',
      ])
    for (const content of [[256], [-1], { type: 'Buffer', data: [1, 999] }])
      expect(await refusal({ filename: 'a.txt', content })).toEqual([
        'invalid_attachment',
        'The `content` of an attachment must be bytes from 0 to 255.',
      ])
    for (const content of [1, true, { type: 'Blob', data: [] }, [1.5], ['a']])
      expect((await refusal({ filename: 'a.txt', content }))[0]).toBe('validation_error')
  })

  test('is looked through once, however hostile it is', async () => {
    const { attach } = await start()

    // A pattern that goes back took 18 seconds for 50,000 spaces, and would take ten minutes here.
    await attach({ filename: 'a.txt', content: `${' '.repeat(300_000)}!` })
    await attach({ filename: 'a.txt', content: `${'='.repeat(300_000)}!` })
    await attach({ filename: 'a.txt', content: `${'A'.repeat(300_000)}!` })
    await attach({ filename: 'a.txt', content: '\n'.repeat(300_000) })
  })

  test('that cannot be downloaded is refused with the reason', async () => {
    const { refusal } = await start()
    const server = await startFileServer((_request, response) => void response.writeHead(404).end())
    const reasons = {
      [`${server.url}/gone.txt`]: 'the server answered 404',
      'ftp://example.com/a.txt': 'http',
      'file:///etc/passwd': 'http',
      'not a url': '',
      'http://127.0.0.1:1/a.txt': '',
    }

    for (const [path, reason] of Object.entries(reasons)) {
      const [name, message] = await refusal({ path })
      expect(name).toBe('invalid_attachment')
      expect(message).toContain('The attachment at `path` could not be downloaded: ')
      expect(message).toContain(reason)
    }
  })

  test('may not come from our own network, once we serve more than this machine', async () => {
    const { acme } = await startAcme({
      POSTWREN_PUBLIC_URL: 'https://post.example',
      POSTWREN_PRIVATE_ADDRESSES: 'auto',
    })
    const server = await startFileServer()

    const reply = await acme.post('/emails', { ...SIMPLE, attachments: [{ path: `${server.url}/secret.txt` }] })

    expect(reply.body.name).toBe('invalid_attachment')
    expect(server.requests).toEqual([])
  })
})

describe('all attachments together', () => {
  test('may measure 40 MB as they travel, which is 30 MB of content', async () => {
    const { attach, refusal } = await start()
    const server = await startFileServer((_request, response) => void response.end(Buffer.alloc(1024 * 1024)))
    const most = Buffer.alloc(30 * 1024 * 1024 - 3).toString('base64')

    const tooMuch = await refusal({ filename: 'a.bin', content: most }, { filename: 'b.bin', content: 'YWJjZA==' })
    const tooFar = await refusal({ filename: 'a.bin', content: most }, { path: `${server.url}/b.bin` })
    const items = await attach({ filename: 'a.bin', content: most }, { filename: 'b.bin', content: 'YWJj' })

    expect(tooMuch).toEqual(['invalid_attachment', 'All attachments together must be at most 40 MB, encoded.'])
    expect(tooFar).toEqual(tooMuch)
    expect(items.map(({ size }: { size: number }) => size)).toEqual([30 * 1024 * 1024 - 3, 3])
  })

  test('share what they may measure while they are downloaded', async () => {
    const { refusal } = await start()
    const server = await startFileServer((_request, response) => void response.end(Buffer.alloc(16 * 1024 * 1024)))

    const files = ['a', 'b'].map((name) => ({ path: `${server.url}/${name}.bin` }))

    expect(await refusal(...files)).toEqual([
      'invalid_attachment',
      'All attachments together must be at most 40 MB, encoded.',
    ])
  })

  test('are downloaded four at a time, and keep their order whichever arrives first', async () => {
    const { attach, download } = await start()
    const waiting: (() => void)[] = []
    let most = 0
    const server = await startFileServer((request, response) => {
      waiting.push(() => response.end(`content of ${request.url}`))
      most = Math.max(most, waiting.length)
      // The last that came is answered first, once nobody else can come: four wait, or all have been asked for.
      if (waiting.length === 4 || server.requests.length === 6) while (waiting.length > 0) waiting.pop()!()
    })
    const names = ['0', '1', '2', '3', '4', '5']

    const items = await attach(...names.map((name) => ({ path: `${server.url}/${name}` })))

    expect(most).toBe(4)
    expect(items.map(({ filename }: { filename: string }) => filename)).toEqual(names)
    expect(String((await download(items[5].download_url)).content)).toBe('content of /5')
  })

  test('are refused for the first mistake among them, and no more are asked for', async () => {
    const { refusal } = await start()
    const gate = makeGate()
    const server = await startFileServer(async (request, response) => {
      if (request.url === '/0') await gate.opened
      if (request.url === '/3') response.on('close', gate.open)
      response.writeHead(request.url === '/0' ? 404 : 500).end()
    })

    const [, message] = await refusal(...[0, 1, 2, 3, 4, 5].map((name) => ({ path: `${server.url}/${name}` })))

    expect(message).toContain('the server answered 404')
    expect(server.requests.toSorted()).toEqual(['/0', '/1', '/2', '/3'])
  })
})

test('downloads of one team take a part of what there is, however many servers it names', async () => {
  const { app, acme } = await start()
  const other = await app.as('other')
  const slow = await Promise.all(Array.from({ length: 5 }, () => startSlowServer()))
  const quick = await startFileServer()
  const send = (client: Client, url: string) =>
    client.post('/emails', { ...SIMPLE, attachments: [{ path: `${url}/a.txt` }] })

  const all = slow.map(({ url }) => send(acme, url))
  await Promise.all(slow.slice(0, 3).map(({ arrived }) => arrived))
  expect((await send(other, quick.url)).status).toBe(200)

  expect(slow.map(({ requests }) => requests.length)).toEqual([1, 1, 1, 0, 0])
  for (const { open } of slow) open()
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
})
