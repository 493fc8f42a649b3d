import { describe, expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { arrive, PEER, receivingTeam, submit, written } from '../../../test/harness/arriving.ts'
import { eventually } from '../../../test/harness/service.ts'
import type { Submitter } from '../../features/emails/smtp/submission.ts'
import { sql } from '../../kernel/db/sql.ts'

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
    take: () => app.handler.take({ raw: written(), from: 'ada@example.net', recipients: [to], peer: HERE, user: null }),
    check: () => app.handler.checkRecipient(to, { peer: HERE, user: null, from: 'ada@example.net' }),
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

describe('with the API in the same process', () => {
  test('messages and requests of a team are counted together', async () => {
    const app = await startApp({ POSTWREN_RATE_LIMIT: '1000' })
    const acme = await app.as('acme')
    let requests = 0

    // Within the second that a count lasts.
    await eventually(async () => {
      await submit(app, acme, written(), ['ada@example.com'])
      const { headers } = await acme.get('/topics')
      requests++
      return Number(headers['ratelimit-remaining']) < 1_000 - requests
    })
  })

  test('a key that was deleted submits nothing from then on', async () => {
    const app = await startApp({ POSTWREN_SMTP_AUTH: 'key' })
    const acme = await app.as('acme')
    const { body: key } = await acme.post('/api-keys', { name: 'for mail' })
    const user = (await app.handler.authenticate({ username: 'resend', password: key.token }, PEER)) as Submitter
    expect(await app.handler.renew(user)).toEqual(user)

    await acme.delete(`/api-keys/${key.id}`)

    expect(await app.handler.renew(user)).toMatchObject({ code: 535 })
  })

  test('a key shows that it was used to submit', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const { body: key } = await acme.post('/api-keys', { name: 'for mail' })

    await app.handler.authenticate({ username: 'resend', password: key.token }, PEER)

    const { data } = (await acme.get('/api-keys')).body
    expect(data.find(({ id }: { id: string }) => id === key.id).last_used_at).not.toBeNull()
  })
})

test('mail that comes with any login was sent by no key', async () => {
  const app = await startApp()
  await app.as('acme')
  const user = (await app.handler.authenticate({ username: 'any', password: 'thing' }, PEER)) as Submitter

  const answer = await app.handler.take({ raw: written(), from: 'a@b.dev', recipients: ['a@x.dev'], peer: PEER, user })

  const { message: id } = answer
  expect(await app.db.query(sql`select api_key_id from emails where id = ${id}`)).toEqual([{ api_key_id: null }])
})
