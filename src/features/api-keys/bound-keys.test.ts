import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { freshName } from '../../../test/harness/domains.ts'
import { Authenticator } from '../../kernel/http/auth.ts'
import { PERMISSIONS } from './permissions.ts'
import { keyStore } from './queries.ts'

test('a key that sends can be bound to a domain of its team, and ends with it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: domain } = await acme.post('/domains', { name: freshName(), dkim: 'ed25519' })

  const { status, body: bound } = await acme.post('/api-keys', {
    name: 'bound',
    permission: 'sending_access',
    domain_id: domain.id,
  })
  const { body: free } = await acme.post('/api-keys', { name: 'free', permission: 'sending_access' })

  expect(status).toBe(201)
  const noTokens = { verify: async () => null }
  const identify = (token: string) => new Authenticator(keyStore(app.db), noTokens).identifyKey(token, '192.0.2.1')
  expect(await identify(bound.token)).toMatchObject({ permissions: PERMISSIONS.sending_access, domainId: domain.id })
  expect(await identify(free.token)).toMatchObject({ permissions: PERMISSIONS.sending_access, domainId: null })

  await acme.delete(`/domains/${domain.id}`)
  await expect(identify(bound.token)).rejects.toMatchObject({ kind: 'invalid_api_key' })
  expect(await identify(free.token)).toMatchObject({ domainId: null })
})

test('a key is bound to no other domain, and only when it may do nothing but send', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const { body: domain } = await globex.post('/domains', { name: freshName(), dkim: 'ed25519' })
  const make = (body: object) => acme.post('/api-keys', { name: 'bound', ...body })

  const foreign = await make({ permission: 'sending_access', domain_id: domain.id })
  const unknown = await make({ permission: 'sending_access', domain_id: '00000000-0000-4000-8000-000000000000' })
  const malformed = await make({ permission: 'sending_access', domain_id: 'nonsense' })
  const powerful = await make({ permission: 'full_access', domain_id: domain.id })

  expect(foreign.body).toMatchObject({ statusCode: 404, message: 'Domain not found' })
  expect(unknown.body).toMatchObject({ statusCode: 404, message: 'Domain not found' })
  expect(malformed.body).toMatchObject({ statusCode: 422, message: expect.stringContaining('`domain_id`') })
  expect(powerful.body).toMatchObject({ statusCode: 422, message: expect.stringContaining('`sending_access`') })
  expect((await acme.get('/api-keys')).body.data).toHaveLength(1)
})
