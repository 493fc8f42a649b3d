import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Resend } from 'resend'
import { beforeAll, describe, expect, test } from 'vitest'
import { Composed, readCompose } from '../harness/compose.ts'
import { Container } from '../harness/container.ts'
import { Containers, missingForImages } from '../harness/containers.ts'
import { pack } from '../harness/package.ts'
import { freePort, startPostgresServer } from '../harness/postgres-server.ts'
import { CHECKOUT } from '../harness/program.ts'
import { call, eventually, temporaryFolder } from '../harness/service.ts'

const missing = missingForImages()
const MB = 1_000_000
/** A machine that does other things as well, and makes the base for the first time. */
const PATIENT_MS = 600_000
const [SERVER, LAPTOP] = [`localhost/postwren-test:${process.pid}`, `localhost/postwren-test:${process.pid}-laptop`]

describe.skipIf(missing)(`the images (${missing ? `needs ${missing}` : 'built here'})`, () => {
  let containers: Containers

  beforeAll(async () => {
    // Builds what is stale.
    pack(temporaryFolder({ lifetime: 'file' }))
    containers = new Containers()
    await containers.buildTarget('server', SERVER)
    await containers.buildTarget('laptop', LAPTOP)
  }, PATIENT_MS)

  /** Sends one through the SDK, and waits for its end. */
  async function sendOne(url: string, token: string): Promise<string> {
    const email = { from: 'me@example.com', to: 'delivered@resend.dev', subject: 'Hello', html: '<p>It works.</p>' }
    const { data, error } = await new Resend(token, { baseUrl: url }).emails.send(email)
    expect(error).toBeNull()
    const read = () => call({ url, token }, 'GET', `/emails/${data!.id}`)
    await eventually(async () => (await read()).body.last_event === 'delivered')
    return data!.id
  }

  test.each([
    { image: SERVER, most: 50 },
    { image: LAPTOP, most: 75 },
  ])('$image takes at most $most MB to load', async ({ image, most }) => {
    const size = await containers.compressedSize(image)

    expect(size / MB).toBeLessThan(most)
    // Nothing is in it at all when this is far off.
    expect(size / MB).toBeGreaterThan(most / 2)
  })

  test.each([SERVER, LAPTOP])('%s says how it is run, watched and stopped', async (image) => {
    const [{ Config: config, Healthcheck: check }] = JSON.parse(await containers.podman('image', 'inspect', image))

    expect(config).toMatchObject({
      User: '1000:1000',
      StopSignal: 'SIGTERM',
      Entrypoint: ['postwren'],
      Cmd: ['serve'],
      Volumes: { '/data': {} },
      ExposedPorts: { '4025/tcp': {}, '2525/tcp': {} },
      Labels: { 'org.opencontainers.image.version': 'test', 'org.opencontainers.image.licenses': 'MIT' },
    })
    expect(check.Test).toEqual(['CMD', 'postwren', 'healthcheck'])
    expect(config.Env.filter((line: string) => /^POSTWREN_(HOST|DATA)/.test(line))).toEqual([
      'POSTWREN_HOST=0.0.0.0',
      'POSTWREN_DATA_DIR=/data',
    ])
  })

  test('the laptop image takes mail, stops in time, and finds all of it again', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const container = await Container.start(containers, {
      image: LAPTOP,
      words: ['--publish', `127.0.0.1:${port}:4025`],
    })
    await container.ready()

    const token = await container.exec('postwren', 'key', 'create', 'test')
    const id = await sendOne(url, token)
    const link = await container.exec('postwren', 'user', 'link', 'ada@example.com')
    const code = await container.stop()
    await container.restart()

    expect(await container.exec('node', '-p', 'process.getuid()')).toBe('1000')
    expect(link).toMatch(/^http:\/\/localhost:4025\/dashboard#sign-in=/)
    expect(code).toBe(0)
    expect((await call({ url, token }, 'GET', `/emails/${id}`)).body.last_event).toBe('delivered')
    // A journal that others read has no key in it.
    expect(await container.logs()).not.toContain('re_')
    // The files of the dashboard are packed, and come out whole for whoever cannot unpack them.
    for (const path of ['/dashboard', '/docs']) expect((await fetch(`${url}${path}`)).status).toBe(200)
    const [script] = /assets\/index-[\w-]+\.js/.exec(await (await fetch(`${url}/dashboard`)).text())!
    const plain = await fetch(`${url}/dashboard/${script}`, { headers: { 'accept-encoding': 'identity' } })
    expect(await plain.text()).toBe(readFileSync(join(CHECKOUT, 'dist-dashboard', script), 'utf8'))
  })

  test('the server image works with a PostgreSQL of yours', async () => {
    const [postgres, port] = [await startPostgresServer(), await freePort()]
    const url = `http://127.0.0.1:${port}`
    const container = await Container.start(containers, {
      image: SERVER,
      settings: {
        POSTWREN_DATABASE_URL: postgres.url,
        POSTWREN_PORT: String(port),
        POSTWREN_SMTP_PORT: String(await freePort()),
        POSTWREN_HOST: '127.0.0.1',
      },
      words: ['--network', 'host'],
    })
    await container.ready()

    const token = await container.exec('postwren', 'key', 'create', 'test')
    await sendOne(url, token)
    await postgres.kill()
    await eventually(async () => !(await container.isReady()))
    await postgres.start()
    await container.ready()
    expect(await container.stop()).toBe(0)
  })

  describe.skipIf(missingForImages(['podman-compose']))('the compose files (needs podman-compose)', () => {
    beforeAll(async () => {
      const context = join(CHECKOUT, 'test/fixtures/postgres-image')
      const images = Object.values(readCompose('compose.yaml').services).map(({ image }) => image)
      for (const image of new Set(images))
        if (image.startsWith('postwren/')) await containers.tag(SERVER, `localhost/${image}`)
        else await containers.build(['--build-arg', `LAPTOP=${LAPTOP}`], `localhost/${image}`, context)
    }, PATIENT_MS)

    test(
      'compose.yaml starts with nothing edited, prints one link, and keeps its data',
      async () => {
        const file = readCompose('compose.yaml')
        const [port, smtpPort, databasePort] = [await freePort(), await freePort(), await freePort()]
        const url = `http://127.0.0.1:${port}`
        const { secrets, database, postwren, 'sign-in': signIn } = file.services
        // What is on bridges there is on one network here.
        secrets!.environment.DATABASE_ADDRESS = `127.0.0.1:${databasePort}`
        database!.command = ['postgres', '-c', `port=${databasePort}`, '-c', 'listen_addresses=127.0.0.1']
        database!.healthcheck!.test.push('-p', String(databasePort))
        for (const { environment } of [postwren!, signIn!])
          Object.assign(environment, { POSTWREN_PORT: port, POSTWREN_SMTP_PORT: smtpPort, POSTWREN_HOST: '127.0.0.1' })
        delete postwren!.ports

        const composed = await Composed.up(containers, file)
        await composed.completed('sign-in')
        const link = await composed.logs('sign-in')
        const token = await composed.exec('postwren', 'postwren', 'key', 'create', 'test')
        const id = await sendOne(url, token)
        const codes = [await composed.stop('postwren'), await composed.stop('database')]
        // The password is that of the first time.
        for (const service of ['secrets', 'database', 'postwren']) await composed.again(service)
        await composed.healthy('postwren')

        expect(link).toMatch(new RegExp(`^http://localhost:${port}/dashboard#sign-in=`))
        expect(codes).toEqual([0, 0])
        expect((await call({ url, token }, 'GET', `/emails/${id}`)).status).toBe(200)
        expect(await composed.logs('postwren')).not.toMatch(/re_|postgres:\/\//)
      },
      PATIENT_MS,
    )

    test(
      'compose.direct.yaml runs two of each role against one database',
      async () => {
        const file = readCompose('compose.direct.yaml')
        const databasePort = await freePort()
        file.services.secrets!.environment.DATABASE_ADDRESS = `127.0.0.1:${databasePort}`
        const database = file.services.database!
        database.command = database.command!.map((word) => word.replace(/^port=.*/, `port=${databasePort}`))
        database.healthcheck!.test = database.healthcheck!.test.map((word) => word.replace(/^\d+$/, `${databasePort}`))
        const roles = Object.entries(file.services).filter(([, { environment }]) => environment.POSTWREN_ROLES)
        for (const { environment } of Object.values(file.services)) {
          if (!('POSTWREN_HOSTNAME' in environment)) continue
          // No test asks the name servers of the machine that it runs on, nor is reached from another.
          Object.assign(environment, { POSTWREN_DNS_SERVERS: '127.0.0.1:1', POSTWREN_HOSTNAME: 'mail.example.com' })
          Object.assign(environment, {
            POSTWREN_PUBLIC_URL: 'https://mail.example.com',
            POSTWREN_PORT: await freePort(),
          })
          if (environment.POSTWREN_SMTP_PORT)
            Object.assign(environment, { POSTWREN_SMTP_HOST: '127.0.0.1', POSTWREN_SMTP_PORT: await freePort() })
        }
        const urlOf = (service: string) => `http://127.0.0.1:${file.services[service]!.environment.POSTWREN_PORT}`

        const composed = await Composed.up(containers, file)
        for (const [service] of roles) await composed.healthy(service)
        const token = await composed.exec('api-1', 'postwren', 'key', 'create', 'test')
        const made = await call({ url: urlOf('api-1'), token }, 'POST', '/domains', { name: 'example.com' })
        const seen = await call({ url: urlOf('api-2'), token }, 'GET', `/domains/${made.body.id}`)
        const ready = (await (await fetch(`${urlOf('delivery-2')}/readyz`)).json()) as { status: string }
        const codes = await Promise.all(roles.map(([service]) => composed.stop(service)))

        expect(roles.map(([service]) => service.replace(/-\d$/, ''))).toEqual(
          ['api', 'smtp', 'delivery', 'jobs'].flatMap((role) => [role, role]),
        )
        expect(seen).toMatchObject({ status: 200, body: { name: 'example.com' } })
        expect(ready.status).toBe('ok')
        expect(codes).toEqual(roles.map(() => 0))
      },
      PATIENT_MS,
    )
  })

  test('the server image says in one line that it needs a database', async () => {
    const container = await Container.start(containers, { image: SERVER })

    await eventually(async () => (await container.inspect('{{.State.Status}}')) === 'exited')

    expect(await container.inspect('{{.State.ExitCode}}')).toBe('1')
    expect(await container.logs()).toMatch(/^.*No embedded PostgreSQL.*POSTWREN_DATABASE_URL.*$/)
  })
})
