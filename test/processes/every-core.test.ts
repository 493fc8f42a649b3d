import { Agent, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Resend } from 'resend'
import { expect, onTestFinished, test } from 'vitest'
import { linesOf } from '../harness/program.ts'
import { dataOf } from '../harness/sdk.ts'
import { eventually, isDatabaseRunning, Service, type ServiceOptions } from '../harness/service.ts'
import { TestClient } from '../harness/smtp-client.ts'

interface LogLine {
  readonly process?: number
  readonly pid?: number
  readonly msg: string
  readonly path?: string
}

const logOf = (service: Service): LogLine[] =>
  linesOf(service.stderr.slice(0, service.stderr.lastIndexOf('\n') + 1))
    .filter((line) => line.startsWith('{"level"'))
    .map((line) => JSON.parse(line))

/** The last process that was started under each number. */
const processesOf = (service: Service) =>
  new Map(
    logOf(service)
      .filter(({ msg }) => msg === 'processes: process started')
      .map(({ process, pid }) => [process!, pid!] as const),
  )

async function startSeveral(count: number, options: ServiceOptions = {}) {
  const service = await Service.start({
    ...options,
    settings: { POSTWREN_PROCESSES: String(count), POSTWREN_LOG_LEVEL: 'debug', ...options.settings },
  })
  await service.until(() => processesOf(service).size === count)
  return service
}

/** On a connection of its own, so that the next process gets it. */
function get(service: Service, path: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: false })
    const asked = request(`${service.url}${path}`, { agent }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() })
    })
    asked.on('error', reject)
    asked.end()
  })
}

const connected = (service: Service) =>
  new Promise<Socket>((resolve, reject) => {
    const { hostname, port } = new URL(service.url)
    const client = connect({ host: hostname, port: Number(port) }, () => resolve(client))
    client.on('error', reject)
  })

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** No signal says that a process is gone which is nobody's child any more. */
const gone = (pids: readonly number[]) => eventually(() => pids.every((pid) => !isAlive(pid)))

test('two processes answer on one port for HTTP and one for SMTP, welcome once, and show the metrics of both', async () => {
  const service = await startSeveral(2)
  const pids = [...processesOf(service).values()]
  expect(new Set([...pids, service.pid]).size).toBe(3)

  for (let number = 0; number < 4; number++) expect((await get(service, '/health')).status).toBe(200)
  const answered = () => new Set(logOf(service).flatMap(({ path, process }) => (path === '/health' ? [process] : [])))
  await service.until(() => answered().size === 2)
  const clients = [await TestClient.ready(service.smtpPort), await TestClient.ready(service.smtpPort)]
  const { text } = await get(service, '/metrics')

  expect([...answered()].sort()).toEqual([1, 2])
  expect(clients).toHaveLength(2)
  for (const number of [1, 2]) {
    expect(text).toContain(`postwren_smtp{what="sessions",process="${number}"} 1\n`)
    expect(text).toContain(`postwren_delivery_outcomes_total{outcome="delivered",process="${number}"} 0\n`)
  }
  const lines = linesOf(text)
  expect(lines.filter((line) => line.startsWith('postwren_deliveries_oldest_due_seconds{kind="single"'))).toEqual([
    'postwren_deliveries_oldest_due_seconds{kind="single"} 0',
  ])
  const types = lines.filter((line) => line.startsWith('# TYPE'))
  expect(types).toEqual([...new Set(types)])
  expect(service.stdout.match(/Postwren is running/g)).toHaveLength(1)
  expect(service.complaints).toEqual([])
})

test('a process that is killed is started again, under its number, and no email that was accepted is lost', async () => {
  const service = await startSeveral(2)
  const resend = new Resend(service.token, { baseUrl: service.url })
  const before = processesOf(service)
  const accepted: string[] = []
  const send = async (number: number) => {
    const { data } = await resend.emails.send({
      from: 'a@example.com',
      to: 'b@example.com',
      subject: `Mail ${number}`,
      text: 'Hello',
    })
    if (data) accepted.push(data.id)
  }

  const sending = Promise.all(Array.from({ length: 100 }, (_, number) => send(number)))
  await eventually(() => accepted.length > 0)
  process.kill(before.get(2)!, 'SIGKILL')
  await sending
  await service.until(() => processesOf(service).get(2) !== before.get(2))

  expect(accepted.length).toBeGreaterThan(0)
  await service.stored(async () => {
    const states = await Promise.all(accepted.map(async (id) => (await dataOf(resend.emails.get(id))).last_event))
    return states.every((state) => state === 'delivered')
  })
  expect(processesOf(service).get(1)).toBe(before.get(1))
  const ended = logOf(service).filter(({ msg }) => msg === 'processes: process ended, restarting it')
  expect(ended).toMatchObject([{ process: 2, pid: before.get(2), signal: 'SIGKILL', restart_in_ms: 500 }])
  expect(service.stdout.match(/Postwren is running/g)).toHaveLength(1)
})

test.each(['SIGTERM', 'SIGINT'] as const)('%s stops all processes and their database', async (signal) => {
  const service = await startSeveral(2, { isForeground: true })

  // A terminal tells every process; a service manager, the first.
  if (signal === 'SIGINT') service.signalGroup(signal)
  else service.signal(signal)

  expect(await service.ended()).toBe(0)
  expect([...processesOf(service).values()].filter(isAlive)).toEqual([])
  expect(await isDatabaseRunning(service.dataDir)).toBe(false)
  expect(service.complaints).toEqual([])
})

test('processes whose supervisor was killed stop, and their database with them', async () => {
  const service = await startSeveral(2)
  const pids = [...processesOf(service).values()]

  process.kill(service.pid, 'SIGKILL')

  await gone(pids)
  expect(await isDatabaseRunning(service.dataDir)).toBe(false)
})

test('whoever comes during a stop is refused, and does not wait for processes that are on their way out', async () => {
  const service = await startSeveral(2)
  const pids = [...processesOf(service).values()]
  process.kill(pids[1]!, 'SIGSTOP')

  service.signal('SIGTERM')
  const refused = () =>
    connected(service).then(
      (client) => void client.destroy(),
      ({ code }) => code === 'ECONNREFUSED',
    )
  await eventually(async () => (await refused()) === true)
  const isStopping = isAlive(pids[1]!)
  process.kill(pids[1]!, 'SIGCONT')

  expect(isStopping).toBe(true)
  expect(await service.ended()).toBe(0)
})

test('a port that is taken ends the start with one line', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const service = await Service.launch({ settings: { POSTWREN_PROCESSES: '2', POSTWREN_PORT: String(port) } })

  expect(await service.ended()).toBe(1)
  expect(service.complaints).toEqual([
    `Port ${port} on 127.0.0.1 is in use: stop the other program, or change POSTWREN_PORT.`,
  ])
  expect(service.stdout).toBe('')
  expect(await isDatabaseRunning(service.dataDir)).toBe(false)
})

test('asking again kills what does not stop', async () => {
  const service = await startSeveral(2)
  const pids = [...processesOf(service).values()]
  // It hears nothing any more.
  process.kill(pids[1]!, 'SIGSTOP')

  service.signal('SIGTERM')
  await eventually(() => {
    service.signal('SIGTERM')
    return service.hasEnded
  })

  expect(await service.ended()).toBe(1)
  await gone(pids)
})
