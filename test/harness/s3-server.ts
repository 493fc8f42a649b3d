import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** What happens to the next request: an answer of 5xx or late, a cut connection, half a body and a cut, or no answer at all. */
export type S3Fault = 500 | 503 | 'slow' | 'drop' | 'drop_in_body' | 'silence'

export type S3Server = Awaited<ReturnType<typeof startS3Server>>

const ACCESS_KEY_ID = 'AKIATEST'
const SECRET_ACCESS_KEY = 'secret/with+signs='
const REGION = 'eu-test-1'
const BUCKET = 'postwren'

/**
 * An S3 in memory, on loopback, with one bucket. It believes nothing: it computes each signature itself, from the request as it
 * came, and the hash of each body. Gone when the test ends.
 */
export async function startS3Server() {
  const objects = new Map<string, Buffer>()
  const faults: S3Fault[] = []
  const requests: string[] = []

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const content = await buffer(request)
    requests.push(`${request.method} ${request.url}`)
    const fault = faults.shift()
    if (fault === 'silence') return
    if (fault === 'slow') await wait(50)
    if (fault === 'drop') return void request.socket.destroy()
    if (typeof fault === 'number') return refuse(response, fault, 'InternalError')
    const complaint = checkSignature(request, content)
    if (complaint) return refuse(response, 403, complaint)
    const { pathname, searchParams } = new URL(request.url!, 'http://s3')
    const [, bucket, ...rest] = pathname.split('/')
    if (bucket !== BUCKET) return refuse(response, 404, 'NoSuchBucket')
    const key = rest.join('/')
    if (searchParams.has('list-type')) return void response.end(listing(searchParams))
    if (request.method === 'PUT') objects.set(key, content)
    if (request.method === 'PUT') return void response.writeHead(200).end()
    if (request.method === 'DELETE') objects.delete(key)
    if (request.method === 'DELETE') return void response.writeHead(204).end()
    const object = objects.get(key)
    if (!object) return refuse(response, 404, 'NoSuchKey')
    response.writeHead(200, { 'content-length': object.length })
    if (request.method === 'HEAD') return void response.end()
    if (fault !== 'drop_in_body') return void response.end(object)
    response.write(object.subarray(0, object.length / 2), () => request.socket.destroy())
  }

  /** One entry for each page, so that whoever asks has to go on. */
  function listing(asked: URLSearchParams): string {
    const prefix = asked.get('prefix') ?? ''
    const entries = new Set(
      [...objects.keys()]
        .filter((key) => key.startsWith(prefix))
        .map((key) => {
          const end = key.indexOf('/', prefix.length)
          return end < 0 ? `<Contents><Key>${key}</Key></Contents>` : key.slice(0, end + 1)
        }),
    )
    const sorted = [...entries].sort()
    const at = Number(asked.get('continuation-token') ?? 0)
    const entry = sorted[at] ?? ''
    const shown =
      entry.startsWith('<') || entry === '' ? entry : `<CommonPrefixes><Prefix>${entry}</Prefix></CommonPrefixes>`
    const next = at + 1 < sorted.length ? `<NextContinuationToken>${at + 1}</NextContinuationToken>` : ''
    return `<?xml version="1.0"?><ListBucketResult><Prefix>${prefix}</Prefix>${next}${shown}</ListBucketResult>`
  }

  const server = createServer((request, response) => void answer(request, response).catch(() => request.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })

  return {
    options: {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      bucket: BUCKET,
      region: REGION,
      accessKeyId: ACCESS_KEY_ID,
      secretAccessKey: SECRET_ACCESS_KEY,
    },
    objects,
    requests: requests as readonly string[],
    /** One for each request to come, in order. */
    fault: (...next: S3Fault[]) => void faults.push(...next),
  }
}

function refuse(response: ServerResponse, status: number, code: string) {
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`)
}

/** Signature version 4, from the documentation of S3 and not from the library that we sign with. */
function checkSignature(request: IncomingMessage, content: Buffer): string | null {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const match = pattern.exec(request.headers.authorization ?? '')
  if (!match) return 'AccessDenied'
  const [, accessKeyId, day, region, signedHeaders, signature] = match as unknown as string[]
  if (accessKeyId !== ACCESS_KEY_ID) return 'InvalidAccessKeyId'
  if (region !== REGION) return 'AuthorizationHeaderMalformed'
  const date = String(request.headers['x-amz-date'])
  if (!date.startsWith(day!)) return 'RequestTimeTooSkewed'
  if (!signedHeaders!.split(';').includes('host')) return 'AccessDenied'
  const hash = createHash('sha256').update(content).digest('hex')
  if (request.headers['x-amz-content-sha256'] !== hash) return 'XAmzContentSHA256Mismatch'

  const headers = signedHeaders!
    .split(';')
    .map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
    .join('')
  const [path, query = ''] = request.url!.split('?')
  const canonical = [request.method, path, query, headers, signedHeaders, hash].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', date, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const key = [day!, region!, 's3', 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${SECRET_ACCESS_KEY}`,
  )
  const expected = createHmac('sha256', key).update(toSign).digest()
  return timingSafeEqual(expected, Buffer.from(signature!, 'hex')) ? null : 'SignatureDoesNotMatch'
}
