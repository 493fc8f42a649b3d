import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { sql } from '../../kernel/db/sql.ts'
import { readStsPolicy } from '../../mail/mta-sts.ts'

const SETTINGS = { POSTWREN_HOSTNAME: 'mx.postwren.test', POSTWREN_PUBLIC_URL: 'https://pages.postwren.test' }

async function startReceiving() {
  const app = await startApp(SETTINGS)
  const acme = await app.as('acme')
  const name = `d-${Math.random().toString(36).slice(2)}.dev`
  const { body } = await acme.post('/domains', {
    name,
    tracking_subdomain: 'links',
    capabilities: { receiving: 'enabled' },
  })
  const prove = () =>
    app.db.query(sql.write`
      update domains set is_receiving_proven = true, is_tracking_verified = true where id = ${body.id}`)
  const get = (url: string, host = 'pages.postwren.test') => app.send({ method: 'GET', url, headers: { host } })
  return { app, acme, name, id: body.id as string, prove, get }
}

test('the policy of a receiving domain is served by its name, in the mode that it has', async () => {
  const { acme, name, id, prove, get } = await startReceiving()
  const policyOf = async () => {
    const { status, text, headers } = await get('/.well-known/mta-sts.txt', `mta-sts.${name}`)
    return status === 200 ? { type: headers['content-type'], ...(readStsPolicy(text) as object) } : status
  }

  expect(await policyOf()).toBe(404)
  await prove()
  expect(await policyOf()).toMatchObject({ mode: 'none', mx: [] })
  await acme.patch(`/domains/${id}`, { mta_sts: 'testing' })
  await prove()
  expect(await policyOf()).toEqual({
    type: 'text/plain; charset=utf-8',
    mode: 'testing',
    mx: ['mx.postwren.test'],
    maxAgeSeconds: 86_400,
  })
  await acme.patch(`/domains/${id}`, { mta_sts: 'enforce' })
  await prove()
  expect(await policyOf()).toMatchObject({ mode: 'enforce', maxAgeSeconds: 604_800 })
})

test.each(['pages.postwren.test', 'mta-sts.elsewhere.dev', 'mta-sts.', 'mta-sts'])(
  'at %s there is no policy',
  async (host) => {
    const { get } = await startReceiving()

    expect((await get('/.well-known/mta-sts.txt', host)).status).toBe(404)
  },
)

test('behind a proxy it is the name that the proxy was asked for', async () => {
  const { app, name, prove } = await startReceiving()
  await prove()

  const { status } = await app.send({
    method: 'GET',
    url: '/.well-known/mta-sts.txt',
    headers: { host: '127.0.0.1:4025', 'x-forwarded-host': `mta-sts.${name}`, 'x-forwarded-proto': 'https' },
  })

  expect(status).toBe(200)
})

test('its records are suggestions: the domain is verified without them, and another mode has another id', async () => {
  const { acme, id, name } = await startReceiving()
  const policyRecords = async () => {
    const { body } = await acme.get(`/domains/${id}`)
    return {
      mode: body.mta_sts,
      records: body.records.filter(({ suggestion }: Record<string, string>) => suggestion === 'MTA-STS'),
    }
  }
  expect(await policyRecords()).toEqual({ mode: undefined, records: [] })

  await acme.patch(`/domains/${id}`, { mta_sts: 'testing' })
  const { mode, records } = await policyRecords()
  await acme.patch(`/domains/${id}`, { mta_sts: 'enforce' })
  const enforced = await policyRecords()

  expect(mode).toBe('testing')
  expect(records).toEqual([
    {
      ...{ record: 'SPF', suggestion: 'MTA-STS', name: '_mta-sts', type: 'TXT', ttl: 'Auto', status: 'not_started' },
      value: expect.stringMatching(/^v=STSv1; id=[0-9a-f]{16};$/),
    },
    {
      ...{ record: 'SPF', suggestion: 'MTA-STS', name: 'mta-sts', type: 'CNAME', ttl: 'Auto', status: 'not_started' },
      value: 'pages.postwren.test',
    },
  ])
  expect(enforced.records[0].value).not.toBe(records[0].value)
  expect((await acme.get(`/domains/${id}`)).body).toMatchObject({ name, status: 'not_started' })
})

test('a policy comes with receiving, begins with testing, and has its name to itself', async () => {
  const { acme, id } = await startReceiving()
  const refusal = async (body: object) => (await acme.patch(`/domains/${id}`, body)).body.message

  expect(await refusal({ mta_sts: 'enforce' })).toBe('Invalid `mta_sts` field. Start with `testing`.')
  expect(await refusal({ mta_sts: 'testing', tracking_subdomain: 'mta-sts' })).toBe(
    'Invalid `mta_sts` field. `mta-sts` is used by the domain for something else.',
  )
  expect(await refusal({ mta_sts: 'testing', capabilities: { receiving: 'disabled' } })).toBe(
    'Invalid `mta_sts` field. Only domains that receive have a policy.',
  )
})

test('a proxy hears which names are ours', async () => {
  const { acme, id, name, prove, get } = await startReceiving()
  const ask = async (domain: string) => (await get(`/tls/ask?domain=${encodeURIComponent(domain)}`)).status
  const hosted = [`links.${name}`, `mta-sts.${name}`]
  expect(await Promise.all(hosted.map(ask))).toEqual([404, 404])

  await prove()
  expect(await Promise.all(hosted.map(ask))).toEqual([200, 404])
  await acme.patch(`/domains/${id}`, { mta_sts: 'testing' })
  await prove()
  expect(await Promise.all(hosted.map(ask))).toEqual([200, 200])
  expect(await Promise.all(['mx.postwren.test', 'PAGES.postwren.test'].map(ask))).toEqual([200, 200])
  const others = [
    '',
    name,
    `www.${name}`,
    'elsewhere.dev',
    'localhost',
    '127.0.0.1',
    `${'a.'.repeat(200)}dev`,
    "' or true --",
  ]
  expect(await Promise.all(others.map(ask))).toEqual(others.map(() => 404))
  expect((await get('/tls/ask')).status).toBe(404)
  expect((await get('/tls/ask?domain=a&domain=b')).status).toBe(404)
})
