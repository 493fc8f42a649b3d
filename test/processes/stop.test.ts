import { connect, type Socket } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { Changes } from '../harness/changes.ts'
import { atEndOf, type Lifetime } from '../harness/program.ts'
import { eventually, isDatabaseRunning, killDatabase, Service } from '../harness/service.ts'

/** A connection that shows what came back on it. */
async function open(service: Service, lifetime: Lifetime = 'test') {
  const { hostname, port } = new URL(service.url)
  const socket: Socket = connect(Number(port), hostname)
  const changes = new Changes()
  const connection = {
    socket,
    received: '',
    isClosed: false,
    until: (condition: () => boolean) => changes.until(condition),
  }
  socket.setEncoding('utf8').on('data', (text) => {
    connection.received += text
    changes.notify()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    connection.isClosed = true
    changes.notify()
  })
  atEndOf(lifetime, () => socket.destroy())
  return connection
}

const END = '\r\n--b--\r\n'
const FORM = `--b\r\nContent-Disposition: form-data; name="file"; filename="c.csv"\r\n\r\nemail\nada@example.com\n`

/** Begins an upload, and comes back once the service is waiting for the rest of it. */
async function beginUpload(service: Service, lifetime?: Lifetime) {
  const connection = await open(service, lifetime)
  connection.socket.write(
    `POST /contacts/imports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.token}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${FORM.length + END.length}\r\n` +
      `Expect: 100-continue\r\n\r\n`,
  )
  await connection.until(() => connection.received.startsWith('HTTP/1.1 100 Continue'))
  connection.socket.write(FORM)
  return connection
}

/** Begun before all others, which have an end: it takes its seconds beside them. */
let endless: ReturnType<typeof stopWithEndlessUpload>

beforeAll(() => {
  endless = stopWithEndlessUpload()
  // Whoever waits for it hears of it.
  endless.catch(() => {})
})

async function stopWithEndlessUpload() {
  const service = await Service.start({ lifetime: 'file' })
  const upload = await beginUpload(service, 'file')
  const code = await service.stop()
  return { service, upload, code }
}

const STOPPING = '"service: stopping"'

test.each(['SIGTERM', 'SIGINT'] as const)('%s stops the service and its database', async (signal) => {
  const service = await Service.start()
  await service.call('POST', '/contacts', { email: 'ada@example.com' })
  // A connection that only waits does not keep it from stopping.
  const idle = await open(service)
  idle.socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await idle.until(() => idle.received.includes('{"status":"ok"}'))

  service.signal(signal)

  expect(await service.ended()).toBe(0)
  expect(await isDatabaseRunning(service.dataDir)).toBe(false)
  expect(service.complaints).toEqual([])
})

test('a request in flight is finished; meanwhile nobody new is let in, and who is still connected learns it from health', async () => {
  const service = await Service.start()
  const upload = await beginUpload(service)
  const probe = await open(service)
  // One request, and half of the next: once the first is answered the service has seen both.
  probe.socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /health HTTP/1.1\r\n')
  await probe.until(() => probe.received.endsWith('{"status":"ok"}'))

  service.signal('SIGTERM')
  await service.logs(STOPPING)
  probe.socket.write('Host: localhost\r\n\r\n')
  await probe.until(() => probe.isClosed)
  expect(probe.received).toMatch(/HTTP\/1\.1 503 [\s\S]+\{"status":"unavailable"\}$/)
  await expect(fetch(`${service.url}/health`)).rejects.toThrow('fetch failed')
  upload.socket.write(END)

  expect(await service.ended()).toBe(0)
  expect(upload.received).toMatch(/HTTP\/1\.1 201 Created[\s\S]+"object":"contact_import"/)
  const again = await Service.start({ dataDir: service.dataDir })
  await again.stored(async () => (await again.call('GET', '/contacts/ada@example.com')).status === 200)
})

test('a request that does not end is cut off, and the service and its database end by themselves', async () => {
  const { service, upload, code } = await endless

  expect(code).toBe(0)
  await upload.until(() => upload.isClosed)
  expect(await isDatabaseRunning(service.dataDir)).toBe(false)
})

test('one Ctrl-C that arrives twice, as under npm, still stops cleanly', async () => {
  const service = await Service.start()
  const upload = await beginUpload(service)

  service.signal('SIGINT')
  await service.logs(STOPPING)
  service.signal('SIGINT')
  upload.socket.write(END)

  expect(await service.ended()).toBe(0)
  expect(upload.received).toContain('201 Created')
})

test('asking again does not wait for what is in flight', async () => {
  const service = await Service.start()
  await beginUpload(service)

  service.signal('SIGTERM')
  await eventually(() => {
    service.signal('SIGTERM')
    return service.hasEnded
  })

  expect(await service.ended()).toBe(1)
})

test('a stop in the middle of the start leaves nothing behind', async () => {
  const service = await Service.launch()
  await eventually(() => isDatabaseRunning(service.dataDir))

  expect(await service.stop()).toBe(0)
  expect(await isDatabaseRunning(service.dataDir)).toBe(false)
})

test('a service whose database was killed a moment ago stops cleanly', async () => {
  const service = await Service.start()

  await killDatabase(service.dataDir)

  expect(await service.stop()).toBe(0)
  expect(await isDatabaseRunning(service.dataDir)).toBe(false)
})
