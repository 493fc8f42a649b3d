import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** What happens to a request: an answer of its own, a cut connection before or after the mail was taken. */
export type ApiFault =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: object }
  | 'drop'
  | 'take_and_drop'

type Answer = (
  request: IncomingMessage,
  content: Buffer,
) => { status: number; headers?: Record<string, string>; body: object }

/** A service on loopback that takes mail over HTTP. Gone when the test ends. */
async function startMailApi(answer: Answer) {
  const faults: ApiFault[] = []
  const requests: string[] = []
  async function serve(request: IncomingMessage, response: ServerResponse) {
    const content = await buffer(request)
    requests.push(`${request.method} ${request.url}`)
    const fault = faults.shift()
    if (fault === 'drop') return void request.socket.destroy()
    const { status, headers, body } = typeof fault === 'object' ? { body: {}, ...fault } : answer(request, content)
    if (fault === 'take_and_drop') return void request.socket.destroy()
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
  const server = createServer((request, response) => void serve(request, response).catch(() => request.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  onTestFinished(stop)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: requests as readonly string[],
    /** One for each request to come, in order. */
    fault: (...next: ApiFault[]) => void faults.push(...next),
    stop,
  }
}

const SES = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret/with+signs=', region: 'eu-west-1' }

export interface SesMail {
  readonly to: readonly string[]
  readonly feedbackTo: string
  readonly raw: string
}

/** Amazon SES, version 2, as far as mail is sent with it. It computes each signature itself, from the request as it came. */
export async function startSes() {
  const messages: SesMail[] = []
  const api = await startMailApi((request, content) => {
    const complaint = checkSignature(request, content)
    if (complaint)
      return {
        status: 403,
        headers: { 'x-amzn-errortype': complaint },
        body: { message: 'The security token is invalid.' },
      }
    if (request.method === 'GET' && request.url === '/v2/email/account')
      return { status: 200, body: { SendingEnabled: true } }
    if (request.method !== 'POST' || request.url !== '/v2/email/outbound-emails')
      return { status: 404, headers: { 'x-amzn-errortype': 'UnknownOperationException' }, body: {} }
    const { Destination, Content, FeedbackForwardingEmailAddress } = JSON.parse(content.toString())
    const raw = Buffer.from(Content.Raw.Data, 'base64').toString()
    messages.push({ to: Destination.ToAddresses, feedbackTo: FeedbackForwardingEmailAddress, raw })
    return {
      status: 200,
      body: { MessageId: `0102018f0c1d0000-6b1b7d9a-0000-4000-8000-00000000000${messages.length}-000000` },
    }
  })
  const route = (name = 'ses') => ({
    ...{ name, kind: 'ses', region: SES.region, endpoint: api.url },
    ...{ access_key_id: SES.accessKeyId, secret_access_key: SES.secretAccessKey },
  })
  return { ...api, messages: messages as readonly SesMail[], route }
}

/** Signature version 4, from its documentation and not from the library that we sign with. */
function checkSignature(request: IncomingMessage, content: Buffer): string | null {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/ses\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const match = pattern.exec(request.headers.authorization ?? '')
  if (!match) return 'MissingAuthenticationTokenException'
  const [, accessKeyId, day, region, signedHeaders, signature] = match as unknown as string[]
  if (accessKeyId !== SES.accessKeyId) return 'UnrecognizedClientException'
  const date = String(request.headers['x-amz-date'])
  const names = signedHeaders!.split(';')
  if (region !== SES.region || !date.startsWith(day!) || !names.includes('host')) return 'InvalidSignatureException'
  const headers = names.map((name) => `${name}:${String(request.headers[name]).trim()}\n`).join('')
  const [path, query = ''] = request.url!.split('?')
  const hash = createHash('sha256').update(content).digest('hex')
  const canonical = [request.method, path, query, headers, signedHeaders, hash].join('\n')
  const scope = `${day}/${region}/ses/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', date, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const key = [day!, region!, 'ses', 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${SES.secretAccessKey}`,
  )
  const expected = createHmac('sha256', key).update(toSign).digest()
  return timingSafeEqual(expected, Buffer.from(signature!, 'hex')) ? null : 'SignatureDoesNotMatch'
}

/** A service with Resend's `POST /emails`: it keeps to idempotency keys. */
export async function startResendApi(key = 're_outside') {
  // biome-ignore lint/suspicious/noExplicitAny: compared with what a test expects of it
  const emails: any[] = []
  const answers = new Map<string, { text: string; id: string }>()
  const api = await startMailApi((request, content) => {
    const refuse = (status: number, name: string) => ({
      status,
      body: { statusCode: status, name, message: 'Refused.' },
    })
    if (request.headers.authorization !== `Bearer ${key}`) return refuse(403, 'invalid_api_key')
    const text = content.toString()
    const body = JSON.parse(text)
    if (!body.from || !body.to) return refuse(422, 'missing_required_field')
    const idempotencyKey = String(request.headers['idempotency-key'])
    const known = answers.get(idempotencyKey)
    if (known)
      return known.text === text ? { status: 200, body: { id: known.id } } : refuse(409, 'invalid_idempotent_request')
    const id = `00000000-0000-4000-8000-00000000000${emails.length}`
    emails.push({ ...body, idempotencyKey })
    answers.set(idempotencyKey, { text, id })
    return { status: 200, body: { id } }
  })
  const route = (name = 'api') => ({ name, kind: 'resend', url: api.url, key })
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return { ...api, emails: emails as readonly any[], route }
}
