import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { readableLog } from '../../../test/harness/log.ts'

async function start(level: string, settings: Record<string, string> = {}) {
  const { log, saying, text } = readableLog(level)
  const app = await startApp(settings, { log })
  return { app, acme: await app.as('acme'), lines: () => saying('http: request'), text }
}

test('at the level debug each request has a line, without what is secret in it', async () => {
  const { app, acme, lines, text } = await start('debug')

  const read = await acme.get('/contacts/ada@example.com?token=hunter2')
  await app.send({ url: '/unsubscribe/hunter2' })
  await app.send({ url: '/nowhere?key=hunter2' })

  expect(lines()).toEqual([
    {
      ...{ request: read.headers['x-request-id'], method: 'GET', path: '/contacts/:email', status: 404 },
      ...{ ms: expect.any(Number), team: acme.team },
    },
    expect.objectContaining({ method: 'GET', path: expect.stringMatching(/^\/unsubscribe\/:/) }),
    expect.objectContaining({ method: 'GET', path: '/nowhere', status: 404 }),
  ])
  expect(text()).not.toMatch(/hunter2|ada@|re_/)
})

test('addresses are in it where they are wanted', async () => {
  const { acme, lines } = await start('debug', { POSTWREN_LOG_ADDRESSES: 'on' })

  await acme.get('/contacts/ada@example.com')

  expect(lines()).toMatchObject([{ path: '/contacts/ada@example.com' }])
})

test('and at no other level', async () => {
  const { acme, lines } = await start('info')

  await acme.get('/topics')

  expect(lines()).toEqual([])
})
