import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Resend } from 'resend'
import { beforeAll, describe, expect, test } from 'vitest'
import { Container } from '../harness/container.ts'
import { Containers, missingForImages } from '../harness/containers.ts'
import { pack } from '../harness/package.ts'
import { freePort, startPostgresServer } from '../harness/postgres-server.ts'
import { CHECKOUT } from '../harness/program.ts'
import { call, eventually, temporaryFolder } from '../harness/service.ts'

const missing = missingForImages()
const MB = 1_000_000
const [SERVER, LAPTOP] = [`localhost/postwren-test:${process.pid}`, `localhost/postwren-test:${process.pid}-laptop`]

describe.skipIf(missing)(`the images (${missing ? `needs ${missing}` : 'built here'})`, () => {
  let containers: Containers

  beforeAll(async () => {
    // Builds what is stale.
    pack(temporaryFolder({ lifetime: 'file' }))
    containers = new Containers()
    await containers.buildTarget('server', SERVER)
    await containers.buildTarget('laptop', LAPTOP)
  }, 600_000)

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
    await expect(container.exec('postwren', 'healthcheck')).rejects.toThrow()
    await postgres.start()
    await container.ready()
    expect(await container.stop()).toBe(0)
  })

  test('the server image says in one line that it needs a database', async () => {
    const container = await Container.start(containers, { image: SERVER })

    await eventually(async () => (await container.inspect('{{.State.Status}}')) === 'exited')

    expect(await container.inspect('{{.State.ExitCode}}')).toBe('1')
    expect(await container.logs()).toMatch(/^.*No embedded PostgreSQL.*POSTWREN_DATABASE_URL.*$/)
  })
})
