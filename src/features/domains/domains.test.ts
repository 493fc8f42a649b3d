import { createPublicKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { freshName, MAIL_HOST } from '../../../test/harness/domains.ts'
import { sql } from '../../kernel/db/sql.ts'
import { signDkim } from '../../mail/dkim.ts'
import { findSender, findSenderById, loadSigners } from './actions.ts'

const start = (settings: Record<string, string> = {}) => startApp({ POSTWREN_HOSTNAME: MAIL_HOST, ...settings })

/** Quicker to make than RSA, and all the same to most tests. */
const QUICK = { dkim: 'ed25519' }

describe('creating a domain', () => {
  test('answers with the records that its owner has to publish', async () => {
    const acme = await (await start()).as('acme')
    const name = freshName()

    const { status, body } = await acme.post('/domains', { name })

    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      name,
      status: 'not_started',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,6}\+00$/),
      region: 'us-east-1',
      capabilities: { sending: 'enabled', receiving: 'disabled' },
      open_tracking: false,
      click_tracking: false,
      records: [
        { record: 'SPF', name: 'send', type: 'MX', ttl: 'Auto', status: 'not_started', value: MAIL_HOST, priority: 10 },
        {
          record: 'SPF',
          name: 'send',
          type: 'TXT',
          ttl: 'Auto',
          status: 'not_started',
          value: `"v=spf1 a:${MAIL_HOST} ~all"`,
        },
        {
          record: 'DKIM',
          name: 'postwren._domainkey',
          type: 'TXT',
          ttl: 'Auto',
          status: 'not_started',
          value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[\w+/]{390,}={0,2}$/),
        },
        {
          record: 'SPF',
          suggestion: 'DMARC',
          name: '_dmarc',
          type: 'TXT',
          ttl: 'Auto',
          status: 'not_started',
          value: expect.stringMatching(/^v=DMARC1; p=none; rua=mailto:dmarc@send\./),
        },
      ],
    })
  })

  test('takes every option', async () => {
    const acme = await (
      await start({ POSTWREN_SPF: 'include:_spf.relay.test', POSTWREN_PUBLIC_URL: 'https://post.test' })
    ).as('acme')
    const name = freshName()

    const { body } = await acme.post('/domains', {
      name,
      region: 'eu-west-1',
      custom_return_path: 'bounces',
      open_tracking: true,
      click_tracking: true,
      tracking_subdomain: 'links',
      tls: 'enforced',
      capabilities: { receiving: 'enabled' },
      dkim: 'both',
    })

    expect(body).toMatchObject({
      region: 'eu-west-1',
      open_tracking: true,
      click_tracking: true,
      tracking_subdomain: 'links',
      capabilities: { sending: 'enabled', receiving: 'enabled' },
    })
    expect(body).not.toHaveProperty('tls')
    expect(
      body.records.map(({ record, suggestion, type, name: at, value }: Record<string, string>) => [
        ...[record, suggestion, type, at, value].filter(Boolean),
      ]),
    ).toEqual([
      ['SPF', 'MX', 'bounces', MAIL_HOST],
      ['SPF', 'TXT', 'bounces', '"v=spf1 include:_spf.relay.test ~all"'],
      ['DKIM', 'TXT', 'postwren._domainkey', expect.stringContaining('k=rsa')],
      ['DKIM', 'TXT', 'postwren-ed25519._domainkey', expect.stringMatching(/^v=DKIM1; k=ed25519; p=[\w+/]{43}=$/)],
      ['Receiving', 'MX', name, MAIL_HOST],
      ['Tracking', 'CNAME', 'links', 'post.test'],
      ['SPF', 'DMARC', 'TXT', '_dmarc', `v=DMARC1; p=none; rua=mailto:dmarc@bounces.${name}`],
      ['SPF', 'TLS-RPT', 'TXT', '_smtp._tls', `v=TLSRPTv1; rua=mailto:tls@bounces.${name}`],
    ])
  })

  test('that only receives asks for nothing that is about sending', async () => {
    const acme = await (await start()).as('acme')

    const { body } = await acme.post('/domains', {
      name: freshName(),
      capabilities: { sending: 'disabled', receiving: 'enabled' },
      ...QUICK,
    })

    expect(body.records.map(({ record }: { record: string }) => record)).toEqual(['Receiving', 'Receiving'])
  })

  test('keeps the name as the DNS has it', async () => {
    const acme = await (await start()).as('acme')
    const name = freshName()

    expect((await acme.post('/domains', { name: ` ${name.toUpperCase()} `, ...QUICK })).body.name).toBe(name)
    expect((await acme.post('/domains', { name: `Bücher.${name}`, ...QUICK })).body.name).toBe(`xn--bcher-kva.${name}`)
    expect((await acme.post('/domains', { name: `xn--bcher-kva.${name}`, ...QUICK })).status).toBe(403)
  })

  test.each([
    ['', 422, 'validation_error'],
    ['localhost', 422, 'validation_error'],
    ['192.0.2.1', 422, 'validation_error'],
    ['ada@example.com', 422, 'validation_error'],
    ['https://example.com', 422, 'validation_error'],
    ['ex ample.com', 422, 'validation_error'],
    ['-a.example.com', 422, 'validation_error'],
    ['a_b.example.com', 422, 'validation_error'],
    ['example.com.', 422, 'validation_error'],
    [`${'a'.repeat(64)}.com`, 422, 'validation_error'],
    [`${'a.'.repeat(95)}com`, 422, 'validation_error'],
    [undefined, 422, 'missing_required_field'],
    [null, 422, 'missing_required_field'],
    [7, 422, 'validation_error'],
  ])('refuses the name %j', async (name, statusCode, problem) => {
    const acme = await (await start()).as('acme')

    const { body } = await acme.post('/domains', { name })

    expect(body).toMatchObject({ statusCode, name: problem, message: expect.stringContaining('`name`') })
  })

  test.each([
    [{ region: 'mars-1' }, 'region'],
    [{ custom_return_path: 'Send' }, 'custom_return_path'],
    [{ custom_return_path: '1send' }, 'custom_return_path'],
    [{ custom_return_path: 'send-' }, 'custom_return_path'],
    [{ custom_return_path: 'a.b' }, 'custom_return_path'],
    [{ custom_return_path: 'a'.repeat(64) }, 'custom_return_path'],
    [{ tracking_subdomain: 'no links' }, 'tracking_subdomain'],
    [{ tracking_subdomain: 'send' }, 'tracking_subdomain'],
    [{ tls: 'never' }, 'tls'],
    [{ capabilities: { sending: 'disabled' } }, 'capabilities'],
    [{ capabilities: { sending: 'disabled', receiving: 'disabled' } }, 'capabilities'],
    [{ capabilities: { sending: 'maybe' } }, 'capabilities.sending'],
    [{ open_tracking: 'yes' }, 'open_tracking'],
    [{ dkim: 'dsa' }, 'dkim'],
  ])('refuses %j', async (options, field) => {
    const acme = await (await start()).as('acme')

    const { body } = await acme.post('/domains', { name: freshName(), ...options })

    expect(body).toMatchObject({
      statusCode: 422,
      name: 'validation_error',
      message: expect.stringContaining(`\`${field}\``),
    })
  })

  test('refuses a name that somebody has, also when ten ask at once', async () => {
    const app = await start()
    const [acme, globex] = [await app.as('acme'), await app.as('globex')]
    const [name, contested] = [freshName(), freshName()]
    await acme.post('/domains', { name, ...QUICK })

    const replies = await Promise.all(
      [acme, globex].map((client) => client.post('/domains', { name: name.toUpperCase(), ...QUICK })),
    )
    const race = await Promise.all(
      Array.from({ length: 10 }, (_, n) => (n % 2 ? acme : globex).post('/domains', { name: contested, ...QUICK })),
    )

    for (const { body } of replies)
      expect(body).toEqual({
        statusCode: 403,
        message: `The \`${name}\` domain has been registered already.`,
        name: 'validation_error',
      })
    expect(race.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(403)])
  })
})

describe('a domain', () => {
  test('is shown with its records, listed without them, and deleted', async () => {
    const acme = await (await start()).as('acme')
    const { body: created } = await acme.post('/domains', { name: freshName(), ...QUICK })
    const path = `/domains/${created.id}`

    expect((await acme.get(path)).body).toEqual({ object: 'domain', ...created })
    const { records, ...item } = created
    expect((await acme.get('/domains')).body.data).toEqual([item])

    expect((await acme.delete(path)).body).toEqual({ object: 'domain', id: created.id, deleted: true })
    expect((await acme.get(path)).body).toMatchObject({ statusCode: 404, message: 'Domain not found' })
    expect((await acme.post('/domains', { name: created.name, ...QUICK })).status).toBe(201)
  })

  test('of another team does not exist', async () => {
    const app = await start()
    const [acme, globex] = [await app.as('acme'), await app.as('globex')]
    const { body: domain } = await acme.post('/domains', { name: freshName(), ...QUICK })
    const path = `/domains/${domain.id}`

    const replies = await Promise.all([
      globex.get(path),
      globex.patch(path, { tls: 'enforced' }),
      globex.delete(path),
      globex.post(`${path}/verify`),
      globex.get(`${path}/claim`),
      globex.post(`${path}/claim/verify`),
    ])

    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(404))
    expect((await globex.get('/domains')).body.data).toEqual([])
    expect((await acme.get(path)).status).toBe(200)
    expect(await findSender(app.db, globex.team, domain.name)).toBeUndefined()
    expect(await findSenderById(app.db, globex.team, domain.id)).toBeUndefined()
    expect(await loadSigners(app.db, app.sealer, globex.team, domain.id)).toEqual([])
  })

  test('is changed', async () => {
    const acme = await (await start({ POSTWREN_PUBLIC_URL: 'https://post.test' })).as('acme')
    const { body: domain } = await acme.post('/domains', { name: freshName(), ...QUICK })
    const path = `/domains/${domain.id}`

    const reply = await acme.patch(path, {
      open_tracking: true,
      click_tracking: true,
      tracking_subdomain: 'links',
      tls: 'enforced',
      capabilities: { receiving: 'enabled' },
    })

    expect(reply.body).toEqual({ object: 'domain', id: domain.id })
    const { body: changed } = await acme.get(path)
    expect(changed).toMatchObject({
      open_tracking: true,
      click_tracking: true,
      tracking_subdomain: 'links',
      capabilities: { sending: 'enabled', receiving: 'enabled' },
    })
    expect(changed.records.map(({ record, suggestion }: Record<string, string>) => suggestion ?? record)).toEqual([
      'SPF',
      'SPF',
      'DKIM',
      'Receiving',
      'Tracking',
      'DMARC',
      'TLS-RPT',
    ])

    await acme.patch(path, { tracking_subdomain: 'go', click_tracking: false })
    expect((await acme.get(path)).body).toMatchObject({
      tracking_subdomain: 'go',
      open_tracking: true,
      click_tracking: false,
    })
  })

  test('keeps a tracking subdomain once it has one, and at least one thing that it can do', async () => {
    const acme = await (await start()).as('acme')
    const { body: domain } = await acme.post('/domains', { name: freshName(), tracking_subdomain: 'links', ...QUICK })
    const path = `/domains/${domain.id}`

    expect((await acme.patch(path, { tracking_subdomain: '' })).status).toBe(422)
    expect((await acme.patch(path, { tracking_subdomain: null })).status).toBe(200)
    expect((await acme.patch(path, { tracking_subdomain: 'send' })).status).toBe(422)
    expect((await acme.patch(path, { capabilities: { sending: 'disabled' } })).status).toBe(422)
    expect((await acme.patch(path, { capabilities: { sending: 'disabled', receiving: 'enabled' } })).status).toBe(200)
    expect((await acme.patch(path, { capabilities: { receiving: 'disabled' } })).status).toBe(422)
    expect((await acme.get(path)).body).toMatchObject({
      tracking_subdomain: 'links',
      capabilities: { sending: 'disabled', receiving: 'enabled' },
    })
  })

  test('tells of its life in the outbox', async () => {
    const acme = await (await start()).as('acme')
    const { body: domain } = await acme.post('/domains', { name: freshName(), ...QUICK })

    await acme.patch(`/domains/${domain.id}`, { capabilities: { receiving: 'enabled' } })
    await acme.delete(`/domains/${domain.id}`)

    const events = await acme.events()
    expect(events.map(({ type }) => type)).toEqual(['domain.created', 'domain.updated', 'domain.deleted'])
    expect(events[0]!.data).toEqual({
      id: domain.id,
      name: domain.name,
      status: 'not_started',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      region: 'us-east-1',
      capabilities: domain.capabilities,
      records: domain.records,
    })
    expect(events[1]!.data.records.at(-3)).toMatchObject({ record: 'Receiving MX', type: 'MX', name: domain.name })
  })
})

describe('the keys of a domain', () => {
  test('are sealed where they are kept, and opened to sign', async () => {
    const app = await start()
    const acme = await app.as('acme')
    const { body: domain } = await acme.post('/domains', { name: freshName(), dkim: 'both' })

    const signers = await loadSigners(app.db, app.sealer, acme.team, domain.id)

    const published = domain.records.filter(({ record }: { record: string }) => record === 'DKIM')
    expect(signers.map(({ domain: name, selector }) => [name, `${selector}._domainkey`])).toEqual(
      published.map(({ name }: { name: string }) => [domain.name, name]),
    )
    expect(published[0].value).toContain(
      createPublicKey(signers[0]!.key).export({ type: 'spki', format: 'der' }).toString('base64'),
    )
    const header = await signDkim(Buffer.from('From: a@b.example\r\n\r\nHi\r\n'), signers, { date: new Date() })
    expect(header.toString().match(/^DKIM-Signature:/gm)).toHaveLength(2)
    const [kept] = await app.db.query<{ text: string }>(
      sql`select string_agg(encode(private_key, 'escape'), '') as text from domain_keys where domain_id = ${domain.id}`,
    )
    expect(kept!.text).not.toContain('PRIVATE')
  })

  test('are of no use beside another domain', async () => {
    const app = await start()
    const acme = await app.as('acme')
    const { body: one } = await acme.post('/domains', { name: freshName(), ...QUICK })
    const { body: other } = await acme.post('/domains', { name: freshName(), ...QUICK })

    await app.db.query(sql`
      update domain_keys k set private_key = o.private_key from domain_keys o
      where k.domain_id = ${one.id} and o.domain_id = ${other.id}`)

    await expect(loadSigners(app.db, app.sealer, acme.team, one.id)).rejects.toThrow()
  })
})

test('the one that sends learns what it needs of a domain, however its name is spelled', async () => {
  const app = await start()
  const acme = await app.as('acme')
  const { body: domain } = await acme.post('/domains', {
    name: `bücher.${freshName()}`,
    custom_return_path: 'bounces',
    click_tracking: true,
    tracking_subdomain: 'links',
    tls: 'enforced',
    ...QUICK,
  })

  const sender = await findSender(app.db, acme.team, domain.name.toUpperCase().replace('XN--BCHER-KVA', 'Bücher'))

  expect(sender).toEqual({
    id: domain.id,
    name: domain.name,
    status: 'not_started',
    isSendingEnabled: true,
    canSend: false,
    tls: 'enforced',
    returnPathHost: `bounces.${domain.name}`,
    tracking: { opens: false, clicks: true, host: null },
  })
  expect(await findSenderById(app.db, acme.team, domain.id)).toEqual(sender)
})
