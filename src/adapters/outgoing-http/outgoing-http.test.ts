import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startDnsServer } from '../../../test/harness/dns-server.ts'
import { createResolver } from '../dns/resolver.ts'
import type { GuardedAgentOptions } from './guarded-agent.ts'
import { OutgoingHttp, type OutgoingRequest } from './outgoing-http.ts'

async function startServer(answer: RequestListener) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.headers.host} ${request.url}`)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { port, requests, url: `http://127.0.0.1:${port}` }
}

function client(options: Partial<GuardedAgentOptions> = { allowPrivateAddresses: true }) {
  const http = new OutgoingHttp({ allowPrivateAddresses: false, ...options })
  onTestFinished(() => http.close(10))
  return (url: string, more: Partial<OutgoingRequest> = {}) =>
    http.send({ method: 'GET', url, timeoutMs: 5_000, maxBytes: 1_000, ...more })
}

test('an answer is an answer, whatever its status', async () => {
  const { url } = await startServer((_, response) =>
    response.writeHead(418, { 'x-kind': 'teapot' }).end('short and stout'),
  )

  const outcome = await client()(url)

  expect(outcome).toMatchObject({ kind: 'answered', status: 418, headers: { 'x-kind': 'teapot' } })
  expect(String((outcome as { body: Buffer }).body)).toBe('short and stout')
})

test('method, headers and body arrive', async () => {
  const { url } = await startServer((request, response) => {
    request.on('data', (chunk) => response.write(`${request.method} ${request.headers['svix-id']} ${chunk}`))
    request.on('end', () => response.end())
  })

  const outcome = await client()(url, { method: 'POST', headers: { 'svix-id': 'msg_1' }, body: '{}' })

  expect(String((outcome as { body: Buffer }).body)).toBe('POST msg_1 {}')
})

test.each([
  'http://127.0.0.1',
  'http://127.1',
  'http://2130706433',
  'http://0x7f.1',
  'http://0x7f000001',
  'http://0177.0.0.1',
  'http://0',
  'http://127.0.0.1.',
  'http://[::1]',
  'http://[::]',
  'http://[::ffff:127.0.0.1]',
  'http://[::ffff:7f00:1]',
  'http://[0:0:0:0:0:ffff:7f00:1]',
  'http://[64:ff9b::7f00:1]',
  'http://１２７.０.０.１',
  'http://localhost',
])('%s is refused, and nothing arrives', async (address) => {
  const { port, requests } = await startServer((_, response) => response.end())

  expect(await client({})(`${address}:${port}/`)).toMatchObject({ kind: 'refused' })
  expect(requests).toEqual([])
})

test.each(['http://10.0.0.1/', 'https://169.254.169.254/latest/meta-data', 'https://[fe80::1]/', 'http://224.0.0.1/'])(
  '%s is refused without a packet',
  async (url) => {
    expect(await client({})(url)).toMatchObject({ kind: 'refused' })
  },
)

test.each([
  ['file:///etc/passwd', 'file:// is not http:// or https://'],
  ['ftp://example.com/', 'ftp:// is not http:// or https://'],
  ['http://user:secret@example.com/', 'a URL must not carry a user name or a password'],
  ['http://user@example.com/', 'a URL must not carry a user name or a password'],
  ['example.com', 'not a URL'],
  ['http://', 'not a URL'],
  ['http://exa mple/', 'not a URL'],
])('%s is refused by its looks', async (url, reason) => {
  expect(await client()(url)).toEqual({ kind: 'refused', reason })
})

test('a name that resolves to a private address is refused', async () => {
  const { port, requests } = await startServer((_, response) => response.end())
  const dns = await startDnsServer()
  dns.set('inside.example', { A: ['127.0.0.1'] })
  const resolver = createResolver({ servers: [dns.address] })
  const addressesOf = async (name: string) => {
    const answer = await resolver.lookup(name, 'A')
    return answer.kind === 'found' ? answer.records : []
  }

  expect(await client({ addressesOf })(`http://inside.example:${port}/`)).toEqual({
    kind: 'refused',
    reason: 'inside.example is not a public address',
  })
  expect(await client({ addressesOf })(`http://nowhere.example:${port}/`)).toMatchObject({ kind: 'failed' })
  expect(requests).toEqual([])
})

// Loopback plays the public address here: the address that was checked is the address that is connected to, each time anew.
const rebinding = (answers: string[]) => ({
  isPublic: (address: string) => address === '127.0.0.1',
  addressesOf: async () => [answers.shift()!],
})

test('a name that is public at first and private later gets one look-up for each connection, and each is checked', async () => {
  const { port, requests } = await startServer((_, response) => response.setHeader('connection', 'close').end('public'))
  const get = client(rebinding(['127.0.0.1', '10.0.0.1']))

  expect(await get(`http://rebind.example:${port}/`)).toMatchObject({ kind: 'answered', status: 200 })
  expect(await get(`http://rebind.example:${port}/`)).toMatchObject({ kind: 'refused' })
  expect(requests).toEqual([`GET rebind.example:${port} /`])
})

test.each([
  '169.254.169.254',
  '[fe80::1]',
  '[::ffff:169.254.169.254]',
  '[64:ff9b::a9fe:a9fe]',
  '0xa9fea9fe',
  '2852039166',
])('%s is refused also where private addresses are allowed', async (host) => {
  expect(await client({ allowPrivateAddresses: true })(`http://${host}/latest/meta-data/`)).toMatchObject({
    kind: 'refused',
    reason: expect.stringMatching(/ is not a public address$/),
  })
})

test('a name of the metadata service is refused also where private addresses are allowed', async () => {
  const get = client({ allowPrivateAddresses: true, addressesOf: async () => ['169.254.169.254', 'fd00:ec2::254'] })

  expect(await get('http://metadata.example/')).toMatchObject({ kind: 'refused' })
})

test('of several addresses only the public ones are tried', async () => {
  const { port } = await startServer((_, response) => response.end())
  const get = client({
    isPublic: (address) => address === '127.0.0.1',
    addressesOf: async () => ['10.0.0.1', 'fd00::1', '127.0.0.1'],
  })

  expect(await get(`http://mixed.example:${port}/`)).toMatchObject({ kind: 'answered' })
})

test('redirects are not followed, unless asked for', async () => {
  const { url, requests } = await startServer((_, response) => response.writeHead(302, { location: '/next' }).end())

  expect(await client()(url)).toMatchObject({ kind: 'answered', status: 302 })
  expect(await client()(url, { method: 'POST', body: 'x', maxRedirects: 3 })).toMatchObject({ status: 302 })
  expect(requests).toHaveLength(2)
})

test('up to three redirects lead to the answer, a fourth does not', async () => {
  const { url } = await startServer((request, response) => {
    const left = Number(request.url!.slice(1))
    if (left === 0) response.end('arrived')
    else response.writeHead(301, { location: `/${left - 1}` }).end('x'.repeat(5_000))
  })

  expect(await client()(`${url}/3`, { maxRedirects: 3 })).toMatchObject({ kind: 'answered', status: 200 })
  expect(await client()(`${url}/4`, { maxRedirects: 3 })).toEqual({ kind: 'refused', reason: 'more than 3 redirects' })
})

test.each(['http://10.0.0.1/', 'http://[::1]/', '//inside.example/', 'file:///etc/passwd', 'http://a:b@example.com/'])(
  'a redirect to %s is refused',
  async (location) => {
    const { port } = await startServer((_, response) => response.writeHead(302, { location }).end())
    const get = client(rebinding(['127.0.0.1', '10.0.0.1']))

    expect(await get(`http://public.example:${port}/`, { maxRedirects: 3 })).toMatchObject({ kind: 'refused' })
  },
)

test('headers do not travel to another host', async () => {
  const seen: unknown[] = []
  const other = await startServer((request, response) => {
    seen.push(request.headers.authorization)
    response.end()
  })
  const { url } = await startServer((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(302, { location: other.url }).end()
  })

  await client()(url, { headers: { authorization: 'Bearer x' }, maxRedirects: 1 })

  expect(seen).toEqual(['Bearer x', undefined])
})

test('an endless body is not read beyond the limit', async () => {
  const closes: (() => void)[] = []
  const isClosed = new Promise<void>((resolve) => closes.push(resolve))
  const { url } = await startServer((_, response) => {
    const more = () => {
      while (response.write('x'.repeat(10_000)));
    }
    response.on('drain', more).on('close', () => closes.forEach((close) => void close()))
    more()
  })

  expect(await client()(url)).toEqual({ kind: 'too_large', reason: 'the answer is larger than 1000 bytes' })
  await isClosed
  const cut = await client()(url, { whenTooLarge: 'cut' })
  expect((cut as { body: Buffer }).body).toHaveLength(1_000)
})

test('a body of exactly the limit is fine', async () => {
  const { url } = await startServer((_, response) => response.end('x'.repeat(1_000)))

  expect(await client()(url)).toMatchObject({ kind: 'answered', status: 200 })
})

test.each(['never', 'header only', 'drop by drop'])('a server that answers %s is not waited for', async (way) => {
  const { url } = await startServer((_, response) => {
    if (way === 'header only') response.flushHeaders()
    if (way !== 'drop by drop') return
    const dripping = setInterval(() => response.write('x'), 5)
    response.on('close', () => clearInterval(dripping))
  })

  expect(await client()(url, { timeoutMs: 80 })).toEqual({ kind: 'timed_out', reason: 'no answer within 80 ms' })
})

test('who stops waiting does not wait for the server', async () => {
  const stopping = new AbortController()
  const { url, requests } = await startServer(() => stopping.abort())

  await expect(client()(url, { signal: stopping.signal })).rejects.toThrow(
    expect.objectContaining({ name: 'AbortError' }),
  )
  await expect(client()(url, { signal: stopping.signal })).rejects.toThrow(
    expect.objectContaining({ name: 'AbortError' }),
  )
  expect(requests).toHaveLength(1)
})

test('an address that takes a while is not left for one that leads nowhere', async () => {
  const { port } = await startServer((_, response) => response.end())
  const addressesOf = async () => {
    // It has answered long before this process gets round to hearing it.
    setImmediate(() => {
      for (const end = performance.now() + 400; performance.now() < end; );
    })
    return ['127.0.0.1', '::1']
  }
  const get = client({ allowPrivateAddresses: true, addressesOf })

  expect(await get(`http://far.example:${port}/`)).toMatchObject({ kind: 'answered' })
})

test('a look-up that never ends is not waited for', async () => {
  const get = client({ addressesOf: () => new Promise(() => {}) })

  expect(await get('http://slow.example/', { timeoutMs: 50 })).toMatchObject({ kind: 'timed_out' })
})

test('a broken connection and a closed port are failures', async () => {
  const { url } = await startServer((request) => request.socket.destroy())
  const half = await startServer((request, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('half', () => request.socket.destroy())
  })

  expect(await client()(url)).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/./) })
  expect(await client()(half.url)).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/./) })
  expect(await client()('http://127.0.0.1:1/')).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/./) })
})

test('with private addresses allowed, localhost can be reached', async () => {
  const { port } = await startServer((_, response) => response.end())

  expect(await client()(`http://localhost:${port}/`)).toMatchObject({ kind: 'answered', status: 200 })
})

test.each(['http://127.0.0.1', 'http://127.8.8.8', 'http://localhost', 'http://app.localhost', 'http://LOCALHOST.'])(
  'what stays on this machine gets to %s, also where private addresses are refused',
  async (address) => {
    const { port } = await startServer((_, response) => response.end())
    const isThere = !address.includes('127.8')

    expect(await client({})(`${address}:${port}/`, { isOnlyLoopback: true })).toMatchObject({
      kind: isThere ? 'answered' : 'failed',
    })
  },
)

test.each([
  'http://example.com',
  'http://localhost.example.com',
  'http://notlocalhost',
  'http://10.0.0.1',
  'http://169.254.169.254',
  'http://0.0.0.0',
  'http://[::]',
  'http://[::ffff:127.0.0.1]',
  'http://[fe80::1]',
])('what stays on this machine does not get to %s, and nobody is asked for it', async (address) => {
  const asked: string[] = []
  const addressesOf = async (name: string) => {
    asked.push(name)
    return ['127.0.0.1']
  }

  const answer = await client({ allowPrivateAddresses: true, addressesOf })(address, { isOnlyLoopback: true })

  expect(answer).toMatchObject({ kind: 'refused', reason: expect.stringContaining('a sandbox reaches nothing else') })
  expect(asked).toEqual([])
})
