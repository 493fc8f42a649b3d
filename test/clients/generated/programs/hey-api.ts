// The client that @hey-api/openapi-ts makes of the document. Whatever the types get wrong does not compile.
import { type Cases, runCases } from './cases'
import { createClient } from './hey-api/client/index'
import {
  domainsList,
  emailsGet,
  emailsList,
  emailsSend,
  segmentsCreate,
  segmentsRemove,
  segmentsUpdate,
  topicsCreate,
} from './hey-api/sdk.gen'
import type { EmailItem, TopicsCreateErrors } from './hey-api/types.gen'

const { RESEND_API_KEY: token, RESEND_BASE_URL: baseUrl = '' } = process.env
const client = createClient({ baseUrl, auth: () => token })

const cases: Cases = {
  async send() {
    const { data, error } = await emailsSend({
      client,
      headers: { 'Idempotency-Key': `hey-api-${Date.now()}` },
      body: { from: 'Ada <ada@example.com>', to: ['bob@example.com'], subject: 'hey-api', html: '<p>Hi</p>' },
    })
    if (error) throw new Error(error.message)
    return { send: data.id }
  },
  async list({ send }) {
    const { data } = await emailsList({ client, query: { limit: 10 } })
    const found: EmailItem | undefined = data?.data.find(({ id }) => id === send)
    if (found?.subject !== 'hey-api') throw new Error(`The list has ${JSON.stringify(found)}`)
    return {}
  },
  async read({ send }) {
    const { data } = await emailsGet({ client, path: { id: send! } })
    const to: string[] | undefined = data?.to
    if (to?.join() !== 'bob@example.com') throw new Error(`It went to ${to}`)
    return {}
  },
  async 'a typed error'() {
    const { error } = await topicsCreate({ client, body: { name: '' } })
    if (error?.statusCode !== 422) throw new Error(JSON.stringify(error))
    const { name }: TopicsCreateErrors[422] = error
    if (name !== 'validation_error') throw new Error(name)
    return {}
  },
  async 'a wrong key'() {
    const nobody = createClient({ baseUrl, auth: 're_nobody' })
    const { error } = await domainsList({ client: nobody })
    if (error?.statusCode !== 403 || error.name !== 'invalid_api_key') throw new Error(JSON.stringify(error))
    return {}
  },
  async 'create, update, delete'() {
    const { data: made } = await segmentsCreate({ client, body: { name: 'Generated' } })
    const path = { id: made!.id }
    const { data: changed } = await segmentsUpdate({ client, path, body: { name: 'Renamed' } })
    const { data: gone } = await segmentsRemove({ client, path })
    const isGone: true | undefined = gone?.deleted
    if (changed?.id !== made?.id || !isGone) throw new Error('The segment is still there.')
    return {}
  },
}

await runCases(cases)
