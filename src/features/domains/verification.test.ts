import { describe, expect, test } from 'vitest'
import type { Client } from '../../../test/harness/app.ts'
import { freshName, publish, startAppWithDns } from '../../../test/harness/domains.ts'
import { sql } from '../../kernel/db/sql.ts'
import { findSender } from './actions.ts'

const HOUR = 3_600
const DAY = 24 * HOUR

/** Of what the domain needs. */
const statusesOf = ({ records: all }: { records: Record<string, string>[] }) => {
  const records = all.filter(({ suggestion }) => suggestion !== 'DMARC')
  return Object.fromEntries(records.map(({ record, type, status }) => [`${record} ${type}`, status]))
}

async function start(options: object = {}) {
  const app = await startAppWithDns({ POSTWREN_PUBLIC_URL: 'https://post.test' })
  const acme = await app.as('acme')
  const { body: domain } = await acme.post('/domains', { name: freshName(), dkim: 'ed25519', ...options })
  const path = `/domains/${domain.id}`
  // Other tests have domains in the same installation, and they are looked at too.
  const asked = () => app.dns.queries.filter((query) => query.endsWith(domain.name)).length
  return { app, acme, domain, path, asked, get: async () => (await acme.get(path)).body }
}

const updates = async (client: Client) =>
  (await client.events()).filter(({ type }) => type === 'domain.updated').map(({ data }) => data)

describe('verifying a domain', () => {
  test('waits for the records, finds them, and tells', async () => {
    const { app, acme, domain, path, get } = await start({ dkim: 'rsa' })

    expect((await acme.post(`${path}/verify`)).body).toEqual({ object: 'domain', id: domain.id })
    expect(await get()).toMatchObject({ status: 'pending' })
    await app.after(60)
    expect(statusesOf(await get())).toEqual({ 'SPF MX': 'pending', 'SPF TXT': 'pending', 'DKIM TXT': 'pending' })

    publish(app.dns, domain)
    await app.after(120)

    expect(await get()).toMatchObject({ status: 'verified' })
    expect(statusesOf(await get())).toEqual({ 'SPF MX': 'verified', 'SPF TXT': 'verified', 'DKIM TXT': 'verified' })
    const told = await updates(acme)
    expect(told.map(({ status }) => status)).toEqual(['pending', 'verified'])
    expect((await acme.get('/audit-events?action=domains.checked')).body.data).toMatchObject([
      { actor: { type: 'system' }, object_id: domain.id, details: { before: 'pending', status: 'verified' } },
    ])
    expect(told[1].records.map(({ status }: { status: string }) => status)).toEqual([
      'verified',
      'verified',
      'verified',
      'verified',
    ])
    expect(await findSender(app.db, acme.team, domain.name)).toMatchObject({ canSend: true, status: 'verified' })
  })

  test('looks once for all who ask before it has looked', async () => {
    const { app, acme, domain, path } = await start()

    for (let n = 0; n < 3; n++) await acme.post(`${path}/verify`)

    expect(await app.db.query(sql`select from jobs where payload ->> 'domainId' = ${domain.id}`)).toHaveLength(1)
  })

  test('tells of each record as it is found, and once', async () => {
    const { app, acme, domain, path, get } = await start()
    await acme.post(`${path}/verify`)
    publish(app.dns, domain, ({ record }) => record === 'DKIM')
    await app.after(60)
    await app.after(120)
    await app.after(120)

    expect(await get()).toMatchObject({ status: 'pending' })
    expect(statusesOf(await get())).toEqual({ 'SPF MX': 'pending', 'SPF TXT': 'pending', 'DKIM TXT': 'verified' })
    expect(await updates(acme)).toHaveLength(2)
    expect(await findSender(app.db, acme.team, domain.name)).toMatchObject({ canSend: false })
  })

  test('gives up after 72 hours, and begins anew when asked', async () => {
    const { app, acme, domain, path, get, asked } = await start()
    await acme.post(`${path}/verify`)
    await app.after(71 * HOUR)
    expect(await get()).toMatchObject({ status: 'pending' })

    await app.after(2 * HOUR)
    expect(await get()).toMatchObject({ status: 'failed' })
    const before = asked()
    publish(app.dns, domain)
    await app.after(10 * DAY)
    expect(asked()).toBe(before)
    expect(await get()).toMatchObject({ status: 'failed' })

    await acme.post(`${path}/verify`)
    expect(await get()).toMatchObject({ status: 'pending' })
    await app.after(60)
    expect(await get()).toMatchObject({ status: 'verified' })
  })

  test('goes capability by capability', async () => {
    const { app, acme, domain, path, get } = await start({ capabilities: { receiving: 'enabled' } })
    await acme.post(`${path}/verify`)
    publish(app.dns, domain, ({ record }) => record !== 'Receiving')
    await app.after(60)
    expect(await get()).toMatchObject({ status: 'partially_verified' })
    expect(await findSender(app.db, acme.team, domain.name)).toMatchObject({ canSend: true })

    await app.after(73 * HOUR)
    expect(await get()).toMatchObject({ status: 'partially_failed' })
    expect(await findSender(app.db, acme.team, domain.name)).toMatchObject({ canSend: true })

    await acme.patch(path, { capabilities: { receiving: 'disabled' } })
    expect(await get()).toMatchObject({ status: 'verified' })
  })

  test('of a part that is added later leaves what is verified as it is', async () => {
    const { app, acme, domain, path, get } = await start()
    publish(app.dns, domain)
    await acme.post(`${path}/verify`)
    await app.after(60)

    await acme.patch(path, { capabilities: { receiving: 'enabled' }, tracking_subdomain: 'links' })
    expect(await get()).toMatchObject({ status: 'partially_verified' })
    expect(statusesOf(await get())).toMatchObject({ 'Receiving MX': 'not_started', 'Tracking CNAME': 'not_started' })

    await acme.post(`${path}/verify`)
    expect(statusesOf(await get())).toMatchObject({ 'SPF MX': 'verified', 'Receiving MX': 'pending' })
    publish(app.dns, await get())
    await app.after(60)
    expect(new Set(Object.values(statusesOf(await get())))).toEqual(new Set(['verified']))
    const sender = await findSender(app.db, acme.team, domain.name)
    expect(sender!.tracking.host).toBe(`links.${domain.name}`)

    await acme.patch(path, { tracking_subdomain: 'go' })
    expect(statusesOf(await get())).toMatchObject({ 'Tracking CNAME': 'not_started' })
    expect((await findSender(app.db, acme.team, domain.name))!.tracking.host).toBeNull()
  })

  test('is for the team that has the domain', async () => {
    const { app, path, get } = await start()
    const globex = await app.as('globex')

    expect((await globex.post(`${path}/verify`)).status).toBe(404)
    expect(await get()).toMatchObject({ status: 'not_started' })
  })
})

describe('a verified domain', () => {
  async function verified() {
    const started = await start()
    publish(started.app.dns, started.domain)
    await started.acme.post(`${started.path}/verify`)
    await started.app.after(60)
    return started
  }

  test('is looked at once a day, and examined', async () => {
    const { app, get, domain } = await verified()
    const asked = () => app.dns.queries.filter((query) => query === `MX send.${domain.name}`).length
    // Its first examination.
    await app.after(60)
    const before = asked()

    await app.after(23 * HOUR)
    expect(asked()).toBe(before)
    await app.after(2 * HOUR)

    expect(asked()).toBe(before + 2)
    expect(await get()).toMatchObject({ status: 'verified' })
  })

  test('goes on sending while a record is gone for a while', async () => {
    const { app, acme, domain, get } = await verified()
    publish(app.dns, domain, ({ record }) => record !== 'DKIM')
    await app.after(25 * HOUR)

    expect(await get()).toMatchObject({ status: 'verified' })
    expect(statusesOf(await get())).toMatchObject({ 'DKIM TXT': 'temporary_failure', 'SPF MX': 'verified' })
    expect(await findSender(app.db, acme.team, domain.name)).toMatchObject({ canSend: true })
    expect((await updates(acme)).at(-1).records.at(-2)).toMatchObject({ record: 'DKIM', status: 'temporary_failure' })

    publish(app.dns, domain)
    await app.after(HOUR)
    expect(statusesOf(await get())).toMatchObject({ 'DKIM TXT': 'verified' })
  })

  test('has failed when the record stays away for 72 hours', async () => {
    const { app, acme, domain, get } = await verified()
    publish(app.dns, domain, ({ record }) => record !== 'DKIM')
    await app.after(25 * HOUR)
    await app.after(73 * HOUR)

    expect(await get()).toMatchObject({ status: 'failed' })
    expect(await findSender(app.db, acme.team, domain.name)).toMatchObject({ canSend: false })
  })

  test('does not suffer from name servers that do not answer', async () => {
    const { app, acme, domain, get } = await verified()
    for (const name of ['send', 'postwren-ed25519._domainkey']) app.dns.fault(`${name}.${domain.name}`, 'servfail')
    const before = await updates(acme)

    for (let day = 0; day < 5; day++) await app.after(25 * HOUR)

    expect(await get()).toMatchObject({ status: 'verified' })
    expect(await updates(acme)).toEqual(before)
  })

  test('that is deleted is forgotten by the checks', async () => {
    const { app, acme, path, asked } = await verified()
    await acme.post(`${path}/verify`)
    await acme.delete(path)
    const before = asked()

    await app.after(3 * DAY)

    expect(asked()).toBe(before)
  })
})
