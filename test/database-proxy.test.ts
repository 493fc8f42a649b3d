import { once } from 'node:events'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from './harness/database.ts'
import { DatabaseProxy } from './harness/database-proxy.ts'
import { makeGate } from './harness/gate.ts'

async function open(config: pg.ClientConfig | string) {
  const client = new pg.Client(config)
  client.on('error', () => {})
  onTestFinished(() => void client.connection.stream.destroy())
  await client.connect()
  return client
}

const one = async (client: pg.Client) => (await client.query('select 1 as one')).rows[0].one

/** Whether it is answered before everything that the event loop has to do now is done, several times over. */
async function isAnswered(answer: Promise<unknown>, other: pg.Client) {
  let isSettled = false
  answer.then(
    () => (isSettled = true),
    () => (isSettled = true),
  )
  for (let round = 0; round < 20; round++) await one(other)
  return isSettled
}

async function openTwo() {
  const database = await freshDatabase()
  const proxy = await DatabaseProxy.start(database)
  const client = await open({ ...proxy.config, application_name: 'near' })
  const direct = await open(database)
  return { database, proxy, client, direct }
}

test('bytes pass, and connections are known by their names', async () => {
  const { proxy, client } = await openTwo()
  const other = await open(proxy.url)

  expect([await one(client), await one(other)]).toEqual([1, 1])
  expect(proxy.connections.map(({ index, applicationName }) => [index, applicationName])).toEqual([
    [0, 'near'],
    [1, ''],
  ])
  expect((await other.query('select current_database() as name')).rows[0].name).toBe(client.database)
})

test('a frozen connection says nothing until it thaws, and neither does a new one', async () => {
  const { proxy, client, direct } = await openTwo()

  proxy.freeze()
  const answer = one(client)
  const connecting = open(proxy.config)
  expect(await isAnswered(Promise.race([answer, connecting]), direct)).toBe(false)
  proxy.thaw()

  expect(await answer).toBe(1)
  expect(await one(await connecting)).toBe(1)
})

test('a muted connection is heard by the server, and not answered', async () => {
  const { proxy, client, direct } = await openTwo()
  await direct.query('listen heard')
  const heard = once(direct, 'notification')

  proxy.mute()
  const answer = client.query('notify heard')
  await heard
  expect(await isAnswered(answer, direct)).toBe(false)
  proxy.thaw()

  await answer
})

test('only the connections that were chosen are touched', async () => {
  const { proxy, client, direct } = await openTwo()
  const far = await open({ ...proxy.config, application_name: 'far' })

  proxy.freeze(({ applicationName }) => applicationName === 'far')
  expect(await isAnswered(one(far), direct)).toBe(false)
  expect(await one(client)).toBe(1)
  proxy.drop({ tellClient: true, chosen: ({ index }) => index === 1 })

  expect(await one(client)).toBe(1)
  await expect(one(far)).rejects.toThrow()
})

test('a connection is dropped without a word to the client, or with one', async () => {
  const { proxy, client, direct } = await openTwo()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const { opened: told, open: tell } = makeGate()
  client.once('end', tell)

  proxy.drop({ tellClient: false })
  while ((await direct.query('select from pg_stat_activity where pid = $1', [rows[0].pid])).rowCount! > 0);
  expect(await isAnswered(Promise.race([told, one(client)]), direct)).toBe(false)
  proxy.thaw()
  expect(await isAnswered(told, direct)).toBe(false)
  proxy.connections[0]!.drop({ tellClient: true })

  await told
})

test('new connections are refused until they are admitted again', async () => {
  const { proxy, client } = await openTwo()

  proxy.refuse()
  await expect(open(proxy.config)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect(await one(client)).toBe(1)
  await proxy.admit()

  expect(await one(await open(proxy.config))).toBe(1)
})
