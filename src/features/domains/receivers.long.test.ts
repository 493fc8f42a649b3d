import { readFileSync } from 'node:fs'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { Client } from '../../../test/harness/app.ts'
import { PEER } from '../../../test/harness/arriving.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { domainNamed, freshName, publish, startAppWithDns } from '../../../test/harness/domains.ts'
import { addVerifiedDomain } from '../../../test/harness/emails.ts'
import { sql } from '../../kernel/db/sql.ts'

const HOUR = 3_600
const ONLY_RECEIVING = { capabilities: { sending: 'disabled', receiving: 'enabled' } }
const BOTH = { capabilities: { sending: 'enabled', receiving: 'enabled' } }
const REFUSED = { code: 550, enhanced: '5.7.1' }

async function start(settings: Record<string, string> = { POSTWREN_DELIVERY: 'direct' }) {
  const app = await startAppWithDns(settings)
  return {
    app,
    acme: await app.as('acme'),
    globex: await app.as('globex'),
    /** Null: mail for the domain is taken. */
    refusal: (name: string) =>
      app.handler.checkRecipient(`desk@${name}`, { peer: PEER, user: null, from: 'a@b.example' }),
  }
}

const add = async (client: Client, name: string, options: object) =>
  (await client.post('/domains', { ...domainNamed(name), ...options })).body

/** A domain whose records have been found. */
async function startVerified(options: object) {
  const started = await start()
  const { app, acme } = started
  const domain = await add(acme, freshName(), options)
  publish(app.dns, domain)
  await acme.post(`/domains/${domain.id}/verify`)
  await app.after(60)
  return { ...started, domain }
}

const recordNames = ({ records }: { records: { record: string; type: string }[] }) =>
  records.map(({ record, type }) => `${record} ${type}`)

test('a domain that only receives is proven by a record of its own', async () => {
  const { app, acme, refusal } = await start()
  const domain = await add(acme, freshName(), ONLY_RECEIVING)
  const path = `/domains/${domain.id}`

  expect(recordNames(domain)).toEqual(['Receiving MX', 'Receiving TXT'])
  expect(domain.records[1]).toEqual({
    record: 'Receiving',
    name: '_postwren',
    type: 'TXT',
    ttl: 'Auto',
    status: 'not_started',
    value: `postwren-receiving=${domain.id}`,
  })
  expect(await refusal(domain.name)).toMatchObject(REFUSED)

  // Whoever has an MX record that points here has shown nothing yet.
  publish(app.dns, domain, ({ type }) => type === 'MX')
  await acme.post(`${path}/verify`)
  await app.after(60)
  expect((await acme.get(path)).body).toMatchObject({ status: 'pending' })
  expect(await refusal(domain.name)).toMatchObject(REFUSED)

  publish(app.dns, domain)
  await app.after(120)
  expect((await acme.get(path)).body).toMatchObject({ status: 'verified' })
  expect(await refusal(domain.name)).toBeNull()
  expect((await acme.events()).at(-1)!.data.records.map(({ record }: { record: string }) => record)).toEqual([
    'Receiving MX',
    'Receiving TXT',
  ])
})

test('the record of one domain proves nothing for another', async () => {
  const { app, acme, globex, refusal } = await start()
  const old = await add(acme, freshName(), ONLY_RECEIVING)
  publish(app.dns, old)
  await acme.delete(`/domains/${old.id}`)

  const taken = await add(globex, old.name, ONLY_RECEIVING)
  await globex.post(`/domains/${taken.id}/verify`)
  await app.after(60)

  expect((await globex.get(`/domains/${taken.id}`)).body.records).toMatchObject([
    { type: 'MX', status: 'verified' },
    { type: 'TXT', status: 'pending' },
  ])
  expect(await refusal(old.name)).toMatchObject(REFUSED)
})

test('a domain that sends too is proven by its key', async () => {
  const { app, acme, refusal } = await start()
  const domain = await add(acme, freshName(), BOTH)
  const path = `/domains/${domain.id}`
  expect(recordNames(domain)).not.toContain('Receiving TXT')

  publish(app.dns, domain, ({ record }) => record !== 'DKIM')
  await acme.post(`${path}/verify`)
  await app.after(60)
  expect((await acme.get(path)).body).toMatchObject({ status: 'pending' })
  expect(await refusal(domain.name)).toMatchObject(REFUSED)

  publish(app.dns, domain)
  await app.after(120)
  expect((await acme.get(path)).body).toMatchObject({ status: 'verified' })
  expect(await refusal(domain.name)).toBeNull()
})

test('a record that is gone is missed after 72 hours', async () => {
  const { app, domain, refusal } = await startVerified(ONLY_RECEIVING)

  publish(app.dns, domain, ({ type }) => type === 'MX')
  await app.after(25 * HOUR)
  expect(await refusal(domain.name)).toBeNull()
  await app.after(73 * HOUR)

  expect(await refusal(domain.name)).toMatchObject(REFUSED)
})

test('a domain that stops or begins to send goes on receiving', async () => {
  const { app, acme, domain, refusal } = await startVerified(BOTH)
  const path = `/domains/${domain.id}`

  await acme.patch(path, { capabilities: { sending: 'disabled' } })
  const changed = (await acme.get(path)).body
  expect(changed).toMatchObject({ status: 'verified', records: [{}, { type: 'TXT', status: 'temporary_failure' }] })
  expect(await refusal(domain.name)).toBeNull()

  publish(app.dns, changed)
  await app.after(HOUR)
  expect((await acme.get(path)).body.records[1]).toMatchObject({ type: 'TXT', status: 'verified' })

  await acme.patch(path, { capabilities: { sending: 'enabled' } })
  expect((await acme.get(path)).body).toMatchObject({ status: 'partially_verified' })
  expect(await refusal(domain.name)).toBeNull()
})

test('who stops sending without the new record has 72 hours for it', async () => {
  const { app, acme, domain, refusal } = await startVerified(BOTH)

  await acme.patch(`/domains/${domain.id}`, { capabilities: { sending: 'disabled' } })
  await app.after(71 * HOUR)
  expect(await refusal(domain.name)).toBeNull()
  await app.after(3 * HOUR)

  expect(await refusal(domain.name)).toMatchObject(REFUSED)
})

test('names at and below what another team has verified cannot receive', async () => {
  const { app, acme, globex, refusal } = await start()
  const name = freshName()
  await addVerifiedDomain(app, acme, name)
  const below = [`send.${name}`, `deep.below.${name}`]

  for (const one of below)
    expect((await globex.post('/domains', { ...domainNamed(one), ...BOTH })).body).toEqual({
      statusCode: 403,
      message: `The \`${one}\` domain cannot receive: another team of this installation has verified \`${name}\`.`,
      name: 'validation_error',
    })
  const sending = await add(globex, `only-sends.${name}`, {})
  expect((await globex.patch(`/domains/${sending.id}`, BOTH)).status).toBe(403)
  expect((await globex.get(`/domains/${sending.id}`)).body.capabilities.receiving).toBe('disabled')
  expect(await refusal(`send.${name}`)).toMatchObject(REFUSED)

  expect((await acme.post('/domains', { ...domainNamed(`mail.${name}`), ...BOTH })).status).toBe(201)
  expect((await globex.post('/domains', { ...domainNamed(`not${name}`), ...BOTH })).status).toBe(201)
})

test('a domain that received before proofs were asked for goes on, unless it lies in what another team has verified', async () => {
  const { app, acme, globex, refusal } = await start()
  const name = freshName()
  const domain = await add(globex, `send.${name}`, ONLY_RECEIVING)
  await app.db.query(sql`
    update domains set receiving_proof = 'mx', is_receiving_proven = true, status = 'verified' where id = ${domain.id}`)
  expect(await refusal(domain.name)).toBeNull()
  expect(recordNames((await globex.get(`/domains/${domain.id}`)).body)).toEqual(['Receiving MX'])

  await addVerifiedDomain(app, acme, name)

  expect(await refusal(domain.name)).toMatchObject(REFUSED)
})

test('while nothing leaves, mail is taken for every domain', async () => {
  const { app, acme, globex, refusal } = await start({})
  const name = freshName()
  await addVerifiedDomain(app, acme, name)

  const domain = await add(globex, `send.${name}`, ONLY_RECEIVING)

  expect(await refusal(domain.name)).toBeNull()
  expect(await refusal(freshName())).toBeNull()
})

const MIGRATION = readFileSync(new URL('../../../migrations/0032_receiving_proof.sql', import.meta.url), 'utf8')

test('an upgrade keeps what was verified, and nothing else', async () => {
  const { acme } = await start()
  const good = { status: 'verified', since: '2026-11-01T00:00:00Z' }
  const domains = [
    ['verified.example', false, 'verified', { 'Receiving MX': good }],
    ['pending.example', false, 'pending', {}],
    ['signed.example', true, 'verified', { 'DKIM postwren': good, 'Receiving MX': good }],
    ['unsigned.example', true, 'partially_verified', { 'Receiving MX': good }],
  ] as const
  const client = new pg.Client(await freshDatabase())
  await client.connect()
  await client.query('begin')
  await client.query('alter table domains drop column receiving_proof, drop column is_receiving_proven')
  for (const [name, sending, status, checks] of domains)
    await client.query(
      `insert into domains (team_id, id, name, region, status, return_path, open_tracking, click_tracking, tls, sending, receiving, checks, created_at, updated_at)
       values ($1, gen_random_uuid(), $2, 'us-east-1', $3, 'send', false, false, 'enforced', $4, true, $5, now(), now())`,
      [acme.team, name, status, sending, checks],
    )

  await client.query(MIGRATION)

  const { rows } = await client.query(
    `select name, receiving_proof as proof, is_receiving_proven as proven, next_check_at is not null as "isDue"
     from domains where team_id = $1 order by name`,
    [acme.team],
  )
  await client.query('rollback')
  await client.end()
  expect(rows).toEqual([
    { name: 'pending.example', proof: 'txt', proven: false, isDue: false },
    { name: 'signed.example', proof: 'dkim', proven: true, isDue: false },
    { name: 'unsigned.example', proof: 'dkim', proven: false, isDue: true },
    { name: 'verified.example', proof: 'mx', proven: true, isDue: false },
  ])
})
