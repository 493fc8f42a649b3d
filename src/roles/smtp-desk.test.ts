import { expect, test } from 'vitest'
import { type App, startApp } from '../../test/harness/app.ts'
import { arrive, PEER, receivingTeam, written } from '../../test/harness/arriving.ts'
import { sql } from '../platform/db/sql.ts'

const HERE = { ...PEER, address: '8.8.8.8' }

/** A team that receives for a domain of its own, whose records are in the DNS. */
async function receiver(app: App, name: string) {
  const { client, domain } = await receivingTeam(app, name)
  await app.db.query(
    sql`update domains set status = 'verified', is_receiving_proven = true where team_id = ${client.team}`,
  )
  const to = `desk@${domain}`
  return {
    client,
    take: () => app.desk.take({ raw: written(), from: 'ada@example.net', recipients: [to], peer: HERE, user: null }),
    check: () => app.desk.checkRecipient(to, { peer: HERE, user: null, from: 'ada@example.net' }),
  }
}

test('a team that gets too much mail gets the rest later, and another team gets its own', async () => {
  const app = await startApp({ POSTWREN_DELIVERY: 'direct', POSTWREN_RECEIVE_PER_TEAM: '3' })
  const [acme, globex] = [await receiver(app, 'acme'), await receiver(app, 'globex')]
  for (let n = 0; n < 3; n++) expect(await acme.take()).toMatchObject({ kind: 'accepted' })

  expect(await acme.check()).toMatchObject({ code: 451, enhanced: '4.7.1' })
  expect(await acme.take()).toMatchObject({ kind: 'refused', code: 451, enhanced: '4.7.1' })

  expect(await globex.check()).toBeNull()
  expect(await globex.take()).toMatchObject({ kind: 'accepted' })
  await app.runDueJobs()
  expect((await acme.client.get('/emails/receiving')).body.data).toHaveLength(3)
})

test('on a laptop mail comes in as fast as it can', async () => {
  const app = await startApp({ POSTWREN_RECEIVE_PER_TEAM: '3', POSTWREN_RECEIVE_PER_ADDRESS: '3' })
  await app.as('acme')

  for (let n = 0; n < 5; n++) expect(await arrive(app, written())).toMatchObject({ kind: 'accepted' })
})
