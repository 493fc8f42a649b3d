import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { freshDatabase } from '../../../../test/harness/database.ts'
import { newId } from '../../../../test/harness/ids.ts'
import { type Config, loadConfig } from '../../../platform/settings/config.ts'
import { checkRoles, checkRunning } from './running.ts'

const check = (port: number) => {
  const environment = { POSTWREN_PORT: String(port), POSTWREN_HOST: '127.0.0.1' }
  return checkRunning({ config: loadConfig(environment), environment })
}

test('what the service that runs cannot do is told, with what to do', async () => {
  const broken = { isSo: false }
  const app = await startApp(
    {},
    {
      blobs: (real) => ({
        put: async (key, content) => {
          if (broken.isSo) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
          await real.put(key, content)
        },
        get: (key) => real.get(key),
        open: (key) => real.open(key),
        remove: (key) => real.remove(key),
        archived: () => real.archived(),
      }),
    },
  )
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.server.address() as AddressInfo

  const well = await check(port)
  broken.isSo = true
  const full = await check(port)

  expect(well).toEqual([{ name: 'service', status: 'ok', message: expect.stringContaining('ready') }])
  expect(full).toEqual([{ name: 'service', status: 'fault', message: expect.stringMatching(/blob store: it is full/) }])
})

test('where no service runs there is nothing to say', async () => {
  expect(await check(1)).toEqual([])
})

test('a role that nobody has is a fault while others run', async () => {
  const client = new pg.Client(await freshDatabase())
  await client.connect()
  await client.query('begin')
  onTestFinished(async () => {
    await client.query('rollback')
    await client.end()
  })
  const roles = async (HOLD: Config['HOLD'] = 'off') =>
    (await checkRoles(client, { ...loadConfig({}), HOLD })).map(({ status, message }) => `${status}: ${message}`)
  const enter = (id: number, works: string[]) =>
    client.query(
      `insert into nodes (id, pid, channel, works, reads, started_at) values ($1, 1, $2, $3, '{compact_rows}', now())`,
      [id, newId(), works],
    )
  await client.query('delete from nodes')

  expect(await roles()).toEqual([])
  await enter(1, ['jobs'])
  expect(await roles()).toEqual([expect.stringMatching(/^fault: No running process has the role delivery/)])
  expect(await roles('on')).toEqual([])
  await enter(2, ['deliveries'])
  expect(await roles()).toEqual([])
})
