import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { clientOf, MAIL, startGuarded } from '../../../test/harness/guarded.ts'

test('ten thousand requests at two nodes against a cap of ten: ten are accepted', async () => {
  const { acme, agent } = await startGuarded({ max_emails_per_hour: 10 })
  const nodes = [agent, clientOf(await startApp(), agent)]

  const statuses = (
    await Promise.all(Array.from({ length: 10_000 }, (_, n) => nodes[n % 2]!.post('/emails', MAIL)))
  ).map(({ status }) => status)

  const count = (wanted: number) => statuses.filter((status) => status === wanted).length
  expect(count(200)).toBe(10)
  // What waits too long in a process is told to come again.
  expect(count(403) + count(503) + count(429)).toBe(9_990)
  expect((await acme.get('/emails?limit=100')).body.data).toHaveLength(10)
  const { used, data } = (await acme.get(`/api-keys/${agent.id}/activity`)).body
  expect(used).toEqual({ emails_last_hour: 10, emails_last_day: 10 })
  expect(data.at(-1)).toMatchObject({ emails: 10, refusals: count(403) })
}, 240_000)
