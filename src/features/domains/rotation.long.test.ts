import { expect, test } from 'vitest'
import { freshName, publish, startAppWithDns } from '../../../test/harness/domains.ts'
import { loadSigners, renamed } from './keys.ts'

interface Shown {
  readonly status: string
  readonly records: { readonly record: string; readonly name: string; readonly status: string }[]
}

const dkimOf = ({ records }: Shown) =>
  Object.fromEntries(records.flatMap(({ record, name, status }) => (record === 'DKIM' ? [[name, status]] : [])))

async function start() {
  const app = await startAppWithDns({ POSTWREN_PUBLIC_URL: 'https://post.test' })
  const acme = await app.as('acme')
  const { body: domain } = await acme.post('/domains', { name: freshName(), dkim: 'ed25519' })
  const path = `/domains/${domain.id}`
  publish(app.dns, domain)
  await acme.post(`${path}/verify`)
  await app.after(60)
  const selectors = async () => {
    const signers = await loadSigners(app.db, app.sealer, acme.team, domain.id)
    return signers.map(({ selector }) => selector)
  }
  return { app, acme, domain, path, selectors, get: async (): Promise<Shown> => (await acme.get(path)).body }
}

test('a new DKIM key signs as soon as its record is in the DNS, and not before', async () => {
  const { app, acme, domain, path, selectors, get } = await start()

  expect((await acme.post(`${path}/rotate-keys`)).body).toEqual({ object: 'domain', id: domain.id })
  await acme.post(`${path}/rotate-keys`)
  await app.after(60)

  const waiting = await get()
  const [fresh] = Object.keys(dkimOf(waiting)).filter((name) => name !== 'postwren-ed25519._domainkey')
  expect(waiting.status).toBe('verified')
  expect(dkimOf(waiting)).toEqual({ 'postwren-ed25519._domainkey': 'verified', [fresh!]: 'pending' })
  expect(fresh).toMatch(/^postwren-ed25519-\d{8}\._domainkey$/)
  expect(await selectors()).toEqual(['postwren-ed25519'])

  publish(app.dns, waiting as never)
  await app.after(120)

  expect(dkimOf(await get())).toEqual({ [fresh!]: 'verified' })
  expect(await selectors()).toEqual([fresh!.replace('._domainkey', '')])
  expect((await acme.get('/audit-events?action=domains.key-replaced')).body.data).toHaveLength(1)
})

test('the key that was replaced is deleted after a week, and the next one gets another name', async () => {
  const { app, acme, path, get, selectors } = await start()
  await acme.post(`${path}/rotate-keys`)
  publish(app.dns, (await get()) as never)
  await app.after(120)
  const [second] = await selectors()

  await app.after(9 * 86_400)
  await acme.post(`${path}/rotate-keys`)
  publish(app.dns, (await get()) as never)
  await app.after(120)

  const [third] = await selectors()
  expect(third).not.toBe(second)
})

test('names of keys are never used twice', () => {
  const key = { selector: 'postwren', public_record: '', privateKey: '' }
  const today = new Date('2026-01-31T00:00:00Z')

  expect(renamed([key], [], today)[0]!.selector).toBe('postwren-20260131')
  expect(renamed([key], ['postwren-20260131', 'postwren-20260131-2'], today)[0]!.selector).toBe('postwren-20260131-3')
})

test('a domain that only receives has no keys to rotate', async () => {
  const { acme } = await start()
  const capabilities = { sending: 'disabled', receiving: 'enabled' }
  const { body: domain } = await acme.post('/domains', { name: freshName(), capabilities })

  expect(await acme.post(`/domains/${domain.id}/rotate-keys`)).toMatchObject({
    status: 422,
    body: { name: 'validation_error' },
  })
})
