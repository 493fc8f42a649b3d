import { AwsV4Signer } from 'aws4fetch'
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
import type { ApiAnswer, ApiRequest, MailApi } from './api-sender.ts'

type SesRoute = Omit<Extract<RouteDefinition, { kind: 'ses' }>, 'kind' | 'name'>

/**
 * Amazon SES, API version 2: the message as it is (`SendEmail` with raw content), signed with Signature Version 4. It puts a Message-ID and a
 * date of its own into each message, so a signature of ours would not hold: it signs itself. It has no idempotency key.
 */
export function sesApi({ region, endpoint, configurationSet, ...keys }: SesRoute): MailApi {
  const base = endpoint ?? `https://email.${region}.amazonaws.com`
  const host = new URL(base).hostname
  const signingKeys = new Map<string, ArrayBuffer>()

  async function signed(method: 'GET' | 'POST', path: string, body?: string): Promise<ApiRequest> {
    const signer = new AwsV4Signer({
      method,
      url: `${base}${path}`,
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
      service: 'ses',
      region,
      accessKeyId: keys.accessKeyId,
      secretAccessKey: keys.secretAccessKey,
      ...(keys.sessionToken !== null && { sessionToken: keys.sessionToken }),
      cache: signingKeys,
    })
    const { url, headers } = await signer.sign()
    return { method, url: url.href, headers: Object.fromEntries(headers), ...(body !== undefined && { body }) }
  }

  return {
    host,
    request: ({ from, to }, message) =>
      signed(
        'POST',
        '/v2/email/outbound-emails',
        JSON.stringify({
          Destination: { ToAddresses: to },
          Content: { Raw: { Data: message.toString('base64') } },
          // Where its reports about this recipient go to.
          FeedbackForwardingEmailAddress: from,
          ...(configurationSet !== null && { ConfigurationSetName: configurationSet }),
        }),
      ),
    judge: (answer) => judge(host, answer),
    check: () => signed('GET', '/v2/email/account'),
  }
}

/** Its errors are known by name; the header has it, with the address of its schema behind a colon. */
function nameOf({ headers }: ApiAnswer, fields: Readonly<Record<string, unknown>>): string {
  const header = headers['x-amzn-errortype']
  const name = typeof header === 'string' ? header : textIn(fields, '__type', 'code')
  return name.split(':')[0]!.split('#').at(-1)!
}

function judge(host: string, answer: ApiAnswer) {
  const { status } = answer
  const fields = fieldsOf(answer)
  if (status >= 200 && status < 300) {
    const id = textIn(fields, 'MessageId')
    return id ? taken(`250 Ok ${id}`) : uncertain(`${host} answered ${status} without a message id`)
  }
  const name = nameOf(answer, fields)
  const message = textIn(fields, 'message', 'Message')
  const said = `${host} answered ${status} ${[name, message].filter((text) => text !== '').join(': ')}`.trim()
  switch (name) {
    case 'TooManyRequestsException':
    case 'ThrottlingException':
    case 'Throttling':
    case 'LimitExceededException':
      return throttled(said, answer)
    case 'AccountSuspendedException':
    case 'SendingPausedException':
    case 'NotFoundException':
      return takesNothing(said)
    case 'MailFromDomainNotVerifiedException':
      return senderRefused(said)
    case 'MessageRejected':
      return /not verified/i.test(message) ? senderRefused(said) : refused(said, 'message')
    case 'BadRequestException':
      return /length|too large|size/i.test(message) ? tooLarge(said) : refused(said, null)
  }
  if (status === 429) return throttled(said, answer)
  if (status === 401 || status === 403) return loginRefused(said)
  if (status === 413) return tooLarge(said)
  if (status === 503) return unavailable(said)
  // An address that is no such service sends elsewhere, or knows no such page.
  if (status === 404 || status === 405 || (status >= 300 && status < 400)) return takesNothing(said)
  return status >= 500 ? uncertain(said) : refused(said, null)
}
