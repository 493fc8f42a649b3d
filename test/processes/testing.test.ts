import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync, truncateSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { isAlive } from '../../src/adapters/postgres/processes.ts'
import { type Postwren, sandbox, startPostwren } from '../../testkit/index.ts'
import { CHECKOUT } from '../harness/program.ts'
import { eventually, killDatabase, temporaryFolder } from '../harness/service.ts'

// With a folder of its own for what is temporary, also for the template that starts are copied from.
let folder: string

beforeAll(() => {
  folder = temporaryFolder({ lifetime: 'file' })
  vi.stubEnv('TMPDIR', folder)
})
afterAll(() => void vi.unstubAllEnvs())

/** What was started and has not been cleaned up. */
const leftovers = () => readdirSync(folder).filter((name) => !name.startsWith('postwren-template-'))

describe('a Postwren for tests', () => {
  test('starts with nothing in it on ports that are free, is found by `sandbox`, and leaves nothing behind', async () => {
    const first = await startPostwren()
    const second = await startPostwren()
    expect(new Set([first.url, second.url, `http://127.0.0.1:${first.smtp.port}`]).size).toBe(3)
    expect(process.env).toMatchObject({ POSTWREN_URL: second.url, POSTWREN_API_KEY: second.apiKey })
    expect((await sandbox()).url).toBe(second.url)
    expect(leftovers().length).toBe(2)

    await Promise.all([first.stop(), second.stop(), second.stop()])

    expect(process.env.POSTWREN_URL).toBeUndefined()
    expect(leftovers()).toEqual([])
    await expect(sandbox()).rejects.toThrow('There is no Postwren to make a sandbox in. Call startPostwren()')
    await expect(sandbox({ url: second.url, apiKey: second.apiKey })).rejects.toThrow('Is it running?')
  })

  test('says why it does not start', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as { port: number }

    await expect(startPostwren({ port })).rejects.toThrow(
      new RegExp(`^Postwren ended instead of starting: exit 1\\n.*Port ${port} on 127.0.0.1 is in use`, 's'),
    )
    await expect(startPostwren({ settings: { POSTWREN_DATABASE_URL: 'postgres://127.0.0.1/mine' } })).rejects.toThrow(
      'unset POSTWREN_DATABASE_URL',
    )
    expect(leftovers()).toEqual([])
  })

  // As a test runner that is stopped by its user, by CI, or by the system.
  test.each(['SIGINT', 'SIGKILL'] as const)('ends with whoever started it, also by %s', async (signal) => {
    const { program, data } = await startElsewhere()
    expect(readdirSync(data)).toContain('postgres')

    program.kill(signal)

    await eventually(() => leftovers().length === 0)
  })

  test('what is left when it is killed itself is removed by the next start, with the database that still runs', async () => {
    const { pid, data } = await startElsewhere()
    process.kill(pid, 'SIGKILL')
    await eventually(() => !isAlive(pid))
    onTestFinished(() => killDatabase(data).catch(() => {}))
    expect(leftovers().length).toBe(1)

    const next = await startPostwren()

    await eventually(() => leftovers().length === 1)
    await next.stop()
    expect(leftovers()).toEqual([])
  })

  test('a template that the system has cut off or cleared away is made anew', async () => {
    const template = () => readdirSync(folder).find((name) => name.startsWith('postwren-template-'))!
    await (await startPostwren()).stop()
    truncateSync(join(folder, template()), 1_000_000)

    const next = await startPostwren()

    expect((await sandbox()).url).toBe(next.url)
    await next.stop()
    rmSync(join(folder, template()))
    await (await startPostwren()).stop()
    expect(leftovers()).toEqual([])
  })

  test('Ctrl-C in the terminal of a test runner leaves it to the runner, which may still tidy up', async () => {
    const { program, pid } = await startElsewhere({
      detached: true,
      tail: 'process.on("SIGINT", () => process.send("tidying")).on("message", () => {})',
    })

    process.kill(-program.pid!, 'SIGINT')
    await once(program, 'message')

    expect(isAlive(pid)).toBe(true)
    program.kill('SIGKILL')
    await eventually(() => leftovers().length === 0)
  })

  /** Started by a process of its own: that, the service's, and its data folder. */
  async function startElsewhere({ detached = false, tail = '' } = {}) {
    const main = `${tail};require('${join(CHECKOUT, 'dist-testing/index.cjs')}').startPostwren().then(() => process.send('ready'))`
    const program = spawn(process.execPath, ['-e', main], { detached, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    onTestFinished(() => void program.kill('SIGKILL'))
    await once(program, 'message')
    const [name] = leftovers()
    return { program, pid: Number(name!.split('-')[2]), data: join(folder, name!, 'data') }
  }
})

describe('in a sandbox', () => {
  let postwren: Postwren

  beforeAll(async () => {
    postwren = await startPostwren()
  })
  afterAll(() => postwren.stop())

  async function stage() {
    const box = await sandbox({ name: 'A test', expiresIn: '10 minutes', seed: 7 })
    onTestFinished(() => box.delete())
    const send = (to: string, subject: string, more: object = {}) => {
      const email = { from: `hello@${box.domain}`, to, subject, text: 'Your code is 731-904.', ...more }
      return box.call<{ id: string }>('POST', '/emails', email)
    }
    return { ...box, send }
  }

  test('mail is waited for, whether it is there or comes later, one by one or several at once', async () => {
    const { inbox, send } = await stage()

    const waiting = inbox.waitFor({ to: 'ada@example.com' })
    await send('ada@example.com', 'First')
    const first = await waiting
    await send('ada@example.com', 'Second')
    const second = await inbox.waitFor({ to: 'ADA@example.com', after: first })

    expect([first.subject, second.subject, first.code()]).toEqual(['First', 'Second', '731904'])
    expect((await inbox.waitForMany(2)).map(({ subject }) => subject)).toEqual(['First', 'Second'])
    expect((await inbox.all()).map(({ subject }) => subject)).toEqual(['Second', 'First'])
    expect((await inbox.get(first.id)).link).toBeTypeOf('function')
    await inbox.clear()
    await inbox.expectNone({}, { within: 50 })
  })

  test('an application that reads the environment sends by SMTP, and receives', async () => {
    const { inbox, env, domain } = await stage()
    const mail = { from: `hello@${domain}`, to: 'ada@example.com', subject: 'By SMTP', text: 'Hello' }

    await createTransport(env.SMTP_URL).sendMail(mail)
    const { host, port } = postwren.smtp
    const stranger = createTransport({ host, port, ignoreTLS: true })
    await stranger.sendMail({ from: 'ada@example.com', to: `desk@${domain}`, subject: 'Re: By SMTP', text: 'Hi' })

    expect(await inbox.waitFor({ to: 'ada@example.com' })).toMatchObject({ direction: 'sent', subject: 'By SMTP' })
    expect(await inbox.waitFor({ direction: 'received' })).toMatchObject({ subject: 'Re: By SMTP' })
  })

  test('who waits in vain is told what came, and what will', async () => {
    const { inbox, send } = await stage()
    await expect(inbox.waitFor({ to: 'ada@example.com' }, { timeout: 50 })).rejects.toThrow(
      /^No message with to: "ada@example.com" came within 0.05 s.\nNothing has come at all. Does the application use/,
    )
    await send('bob@example.com', 'Hello')
    await send('ada@example.com', 'Still there?', { scheduled_at: 'in 3 days' })
    await inbox.waitFor()

    await expect(inbox.waitFor({ to: 'ada@example.com' }, { timeout: 50 })).rejects.toThrow(
      /What is there:\n {2}- to bob@example.com: "Hello" \(\w+\)\nWhat waits for its time \(clock.advance\):\n {2}- to ada@example.com: "Still there\?", \d/,
    )
    await expect(inbox.waitForMany(2, {}, { timeout: 50 })).rejects.toThrow(/^1 of 2 messages came within 0.05 s./)
    await expect(inbox.expectNone({ to: 'bob@example.com' })).rejects.toThrow(
      /^There is a message with to: "bob@example.com", and none was expected:\n {2}- to bob@example.com: "Hello"/,
    )
  })

  test('its clock is advanced, set and frozen', async () => {
    const { inbox, clock, send } = await stage()
    await send('ada@example.com', 'Still there?', { scheduled_at: 'in 3 days' })
    const begin = await clock.now()

    const { happened, now } = await clock.advance('3 days 1 hour')
    const reminder = await inbox.waitFor({ subject: 'Still there?' })

    expect(happened.map(({ type }) => type)).toContain('email.delivered')
    expect(Date.parse(now) - begin.getTime()).toBeGreaterThanOrEqual(73 * 3_600_000)
    expect(reminder.status).toBe('delivered')
    await clock.freeze()
    const frozen = await clock.now()
    expect(await clock.now()).toEqual(frozen)
    const target = new Date(frozen.getTime() + 86_400_000)
    await clock.to(target)
    expect(await clock.now()).toEqual(target)
    await clock.advance(1_500)
    expect((await clock.now()).getTime() - target.getTime()).toBe(1_500)
    await clock.unfreeze()
    expect((await clock.advance(0)).steps).toBe(0)
    expect((await clock.advance(1)).steps).toBe(0)
    await expect(clock.advance(-1)).rejects.toThrow('0 or more')
    await expect(clock.advance('soon')).rejects.toMatchObject({ name: 'PostwrenError', status: 422 })
    await expect(clock.to(begin)).rejects.toThrow(/^PATCH \/clock was answered with 422: /)
  })

  test('a scenario decides what becomes of mail', async () => {
    const { scenario, inbox, send } = await stage()
    const rules = [{ match: { to: 'ada@example.com' }, outcome: { reply: '550 5.1.1 no such user' } }]
    await scenario.set(rules)
    expect(await scenario.get()).toMatchObject({ rules })

    await send('ada@example.com', 'Hello')
    await send('bob@example.com', 'Hello')

    const status = async (to: string) => (await inbox.waitFor({ to })).status
    await eventually(async () => (await status('ada@example.com')) === 'bounced')
    await eventually(async () => (await status('bob@example.com')) === 'delivered')
    await scenario.clear()
    await send('ada@example.com', 'Hello again')
    await eventually(async () => (await inbox.waitFor({ subject: 'again' })).status !== 'bounced')
    await expect(scenario.set([{ outcome: { reply: 'no' } }])).rejects.toMatchObject({ status: 422 })
  })
})
