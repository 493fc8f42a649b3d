import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { limit } from '../../../test/harness/operators.ts'
import { eventually } from '../../../test/harness/service.ts'
import { Busy } from '../../platform/concurrency/fair-queue.ts'
import { KeyMaker } from './keys.ts'

/** Makes no keys, but waits until it may. */
function start() {
  const { opened, open } = makeGate()
  const begun: string[] = []
  const maker = new KeyMaker(async () => {
    await opened
    return { selector: 'x', public_record: 'x', privateKey: 'x' }
  })
  const make = (team: string) => maker.make('rsa', { team }).then(() => void begun.push(team))
  return { maker, make, begun, open }
}

test('RSA keys are made one at a time, and teams take turns', async () => {
  const { maker, make, begun, open } = start()
  const all = [make('a'), make('a'), make('a'), make('b'), make('b'), make('c')]
  expect(maker.waiting).toBe(5)

  open()
  await Promise.all(all)

  expect(begun).toEqual(['a', 'b', 'c', 'a', 'b', 'a'])
})

test('a team that asks for too many is told so, and others are not', async () => {
  const { maker, make, open } = start()
  const asked = Array.from({ length: 21 }, () => make('a'))

  await expect(make('a')).rejects.toThrow(Busy)
  const another = make('b')
  expect((await maker.make('ed25519', { team: 'a' })).map(({ selector }) => selector)).toEqual(['postwren-ed25519'])

  open()
  await Promise.all([another, ...asked])
})

test('no key is made for a client that is gone', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const errors: unknown[] = []
  app.services.log.error = (...facts: unknown[]) => void errors.push(facts)
  const { domainKeys } = app.services
  const other = domainKeys.make('rsa', { team: acme.team })
  const { server } = app.server
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  const asked = once(server, 'request')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const body = '{"name":"gone.example.com"}'
  const head = `host: localhost\r\nauthorization: Bearer ${acme.token}\r\ncontent-length: ${body.length}`
  client.write(`POST /domains HTTP/1.1\r\n${head}\r\n\r\n${body}`)
  const [request] = (await asked) as [IncomingMessage]
  await eventually(() => domainKeys.waiting === 1)
  client.resetAndDestroy()
  await new Promise((resolve) => request.socket.on('close', resolve))

  expect(domainKeys.waiting).toBe(0)
  await other
  expect((await acme.get('/domains')).body.data).toEqual([])
  expect(errors).toEqual([])
})

test('a team that has all the domains that it may have gets no more keys made', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/domains', { name: 'one.example.com', dkim: 'ed25519' })
  await limit(app, acme, { domains: 1 })
  const made: string[] = []
  app.services.domainKeys.make = async (choice) => {
    made.push(choice)
    return []
  }

  const { body } = await acme.post('/domains', { name: 'two.example.com' })

  expect(body.message).toContain('domains quota')
  expect(made).toEqual([])
})
