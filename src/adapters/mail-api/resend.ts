import type { RouteDefinition } from '../../mail/routes/routes.ts'
import {
  fieldsOf,
  loginRefused,
  refused,
  senderRefused,
  taken,
  takesNothing,
  textIn,
  throttled,
  tooLarge,
  unavailable,
  uncertain,
} from './api-outcomes.ts'
import type { ApiAnswer, MailApi } from './api-sender.ts'

type ResendRoute = Pick<Extract<RouteDefinition, { kind: 'resend' }>, 'url' | 'key'>

/** Any service with Resend's `POST /emails`. What it is handed is the body of that request, made by whoever knows the fields. */
export function resendApi({ url, key }: ResendRoute): MailApi {
  const { hostname: host } = new URL(url)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const post = { method: 'POST', url: `${url}/emails` } as const
  return {
    host,
    request: async ({ id }, body) => ({
      ...post,
      headers: { ...headers, ...(id !== undefined && { 'idempotency-key': id }) },
      body,
    }),
    judge: (answer) => judge(host, answer),
    // Who has no key is refused before anybody looks at the fields, which are not there.
    check: async () => ({ ...post, headers, body: '{}' }),
  }
}

function judge(host: string, answer: ApiAnswer) {
  const { status } = answer
  const fields = fieldsOf(answer)
  const id = textIn(fields, 'id')
  if (status >= 200 && status < 300)
    return id ? taken(`250 2.0.0 ${host} accepted it as ${id}`) : uncertain(`${host} answered ${status} without an id`)
  const name = textIn(fields, 'name')
  const said = `${host} answered ${status} ${[name, textIn(fields, 'message')].filter((text) => text !== '').join(': ')}`
  if (status === 401) return loginRefused(said)
  // Not verified, or not for this key: 403 is also how an unknown key is answered.
  if (status === 403) return name === 'validation_error' ? senderRefused(said) : loginRefused(said)
  if (status === 409)
    // The key says which mail it is, so the one that was taken under it was this one, as an earlier version of this program wrote it.
    return name === 'invalid_idempotent_request' ? taken(`250 2.0.0 ${host} had accepted it before`) : uncertain(said)
  if (status === 413) return tooLarge(said)
  if (status === 429) return throttled(said, answer)
  if (status === 503) return unavailable(said)
  if (status === 404 || status === 405 || (status >= 300 && status < 400)) return takesNothing(said)
  return status >= 500 ? uncertain(said) : refused(said, null)
}
