// The client that openapi-typescript and openapi-fetch make of the document. Whatever the types get wrong does not compile.
import createClient from 'openapi-fetch'
import { type Cases, runCases } from './cases'
import type { components, paths } from './openapi-typescript/schema'

const { RESEND_API_KEY: token, RESEND_BASE_URL: baseUrl = '' } = process.env
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } })

const cases: Cases = {
  async send() {
    const { data, error } = await client.POST('/emails', {
      params: { header: { 'Idempotency-Key': `openapi-typescript-${Date.now()}` } },
      body: {
        from: 'Ada <ada@example.com>',
        to: ['bob@example.com'],
        subject: 'openapi-typescript',
        html: '<p>Hi</p>',
      },
    })
    if (error) throw new Error(error.message)
    return { send: data.id }
  },
  async list({ send }) {
    const { data } = await client.GET('/emails', { params: { query: { limit: 10 } } })
    const found: components['schemas']['EmailItem'] | undefined = data?.data.find(({ id }) => id === send)
    if (found?.subject !== 'openapi-typescript') throw new Error(`The list has ${JSON.stringify(found)}`)
    return {}
  },
  async read({ send }) {
    const { data } = await client.GET('/emails/{id}', { params: { path: { id: send! } } })
    const to: string[] | undefined = data?.to
    if (to?.join() !== 'bob@example.com') throw new Error(`It went to ${to}`)
    return {}
  },
  async 'a typed error'() {
    const { data, error, response } = await client.POST('/topics', { body: { name: '' } })
    if (data || !error) throw new Error('A topic without a name was created.')
    if (error.statusCode !== 422) throw new Error(`${error.statusCode} ${error.message}`)
    const name: 'validation_error' | 'missing_required_field' | string = error.name
    // @ts-expect-error: no 422 has this name
    if (error.name === 'rate_limit_exceeded') throw new Error(name)
    if (response.status !== error.statusCode || name !== 'validation_error') throw new Error(name)
    return {}
  },
  async 'a wrong key'() {
    const nobody = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer re_nobody' } })
    const { error } = await nobody.GET('/domains')
    if (error?.statusCode !== 403 || error.name !== 'invalid_api_key') throw new Error(JSON.stringify(error))
    return {}
  },
  async 'create, update, delete'() {
    const { data: made } = await client.POST('/segments', { body: { name: 'Generated' } })
    const path = { id: made!.id }
    const { data: changed } = await client.PATCH('/segments/{id}', { params: { path }, body: { name: 'Renamed' } })
    const { data: gone } = await client.DELETE('/segments/{id}', { params: { path } })
    const isGone: true | undefined = gone?.deleted
    if (changed?.id !== made?.id || !isGone) throw new Error('The segment is still there.')
    return {}
  },
}

await runCases(cases)
