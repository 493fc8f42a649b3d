import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, request } from 'undici'
import { ARCHIVE_PREFIX, type BlobStore, BlobStoreAway, isArchived, requireKey } from './blob-store.ts'

export interface S3Options {
  /** `https://s3.eu-central-1.amazonaws.com`, or wherever MinIO, R2, Garage or Ceph listen. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly timeoutMs?: number
  /** How often a request is made that meets a 5xx, a 429 or a broken connection. */
  readonly tries?: number
  readonly firstRetryMs?: number
  /** What a key may look like; by default as in every blob store. */
  readonly requireKey?: (key: string) => void
}

interface S3Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: Readable & { bytes(): Promise<Uint8Array>; text(): Promise<string>; dump(): Promise<void> }
}

/** Blobs in a bucket, with the bucket in the path: self-made stores seldom have a name for each bucket. */
export class S3BlobStore implements BlobStore {
  readonly #options: Required<S3Options>
  readonly #agent: Agent
  /** The derived signing key of the day; the signer keeps it here. */
  readonly #signingKeys = new Map<string, ArrayBuffer>()

  constructor(options: S3Options) {
    this.#options = { timeoutMs: 30_000, tries: 4, firstRetryMs: 100, requireKey, ...options }
    const { timeoutMs } = this.#options
    this.#agent = new Agent({ connect: { timeout: timeoutMs }, headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  }

  async put(key: string, content: Buffer) {
    await this.#withRetries(async () => {
      const { status, body } = await this.#send('PUT', key, content)
      if (status !== 200) throw await refusal('PUT', key, status, body)
      await body.dump()
    })
  }

  async get(key: string): Promise<Buffer | null> {
    return this.#withRetries(async () => {
      const { status, body } = await this.#send('GET', key)
      if (status === 200) return Buffer.from(await body.bytes())
      if (status !== 404) throw await refusal('GET', key, status, body)
      return missing(body)
    })
  }

  async open(key: string): Promise<Readable | null> {
    return this.#withRetries(async () => {
      const { status, body } = await this.#send('GET', key)
      if (status === 200) return body
      if (status !== 404) throw await refusal('GET', key, status, body)
      return missing(body)
    })
  }

  async remove(key: string) {
    await this.#withRetries(async () => {
      const { status, body } = await this.#send('DELETE', key)
      if (status !== 204 && status !== 200 && status !== 404) throw await refusal('DELETE', key, status, body)
      await body.dump()
    })
  }

  /** Null: there is no such object. */
  async size(key: string): Promise<number | null> {
    return this.#withRetries(async () => {
      const { status, headers, body } = await this.#send('HEAD', key)
      if (status !== 200 && status !== 404) throw await refusal('HEAD', key, status, body)
      await body.dump()
      return status === 404 ? null : Number(headers['content-length'])
    })
  }

  /** Keys that begin with the prefix, and up to the next `/` behind it what they have in common (`folders`). */
  async list(prefix: string, after?: string): Promise<{ keys: string[]; folders: string[]; next: string | undefined }> {
    return this.#withRetries(async () => {
      const query = new URLSearchParams({ delimiter: '/', 'list-type': '2', prefix })
      if (after !== undefined) query.set('continuation-token', after)
      query.sort()
      const { status, body } = await this.#request('GET', `?${query.toString().replaceAll('+', '%20')}`)
      if (status !== 200) throw await refusal('GET', prefix, status, body)
      const text = await body.text()
      const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, value]) => unescapeXml(value!))
      return {
        keys: all(/<Key>([^<]*)<\/Key>/g),
        folders: all(/<CommonPrefixes>\s*<Prefix>([^<]*)<\/Prefix>/g),
        next: all(/<NextContinuationToken>([^<]*)<\/NextContinuationToken>/g)[0],
      }
    })
  }

  async *archived(): AsyncGenerator<string> {
    const folders = [ARCHIVE_PREFIX]
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
      for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
        const page: Awaited<ReturnType<S3BlobStore['list']>> = await this.list(folder, after)
        yield* page.keys.filter(isArchived)
        folders.push(...page.folders)
        after = page.next
      }
  }

  async close() {
    await this.#agent.close()
  }

  async #send(method: 'GET' | 'PUT' | 'DELETE' | 'HEAD', key: string, content?: Buffer): Promise<S3Answer> {
    this.#options.requireKey(key)
    return this.#request(method, `/${key}`, content)
  }

  async #request(method: 'GET' | 'PUT' | 'DELETE' | 'HEAD', path: string, content?: Buffer): Promise<S3Answer> {
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = this.#options
    const hash = createHash('sha256')
      .update(content ?? '')
      .digest('hex')
    const signer = new AwsV4Signer({
      method,
      url: `${endpoint.replace(/\/+$/, '')}/${bucket}${path}`,
      // Signing the hash has the store check the content on arrival, where "unsigned payload" would trust the line.
      headers: { 'x-amz-content-sha256': hash },
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
      cache: this.#signingKeys,
    })
    const { url, headers } = await signer.sign()
    const answer = await request(url, {
      method,
      headers: Object.fromEntries(headers),
      dispatcher: this.#agent,
      ...(content && { body: content }),
    })
    return { status: answer.statusCode, headers: answer.headers, body: answer.body }
  }

  /** Every request here may be made twice: putting, getting and removing the same thing again changes nothing. */
  async #withRetries<Value>(attempt: () => Promise<Value>): Promise<Value> {
    const { tries, firstRetryMs } = this.#options
    for (let failures = 1; ; failures++) {
      try {
        return await attempt()
      } catch (error) {
        if (failures >= tries || error instanceof S3Refusal) throw error
        await wait(firstRetryMs * 2 ** (failures - 1) * (0.5 + Math.random() / 2))
      }
    }
  }
}

/** One that stays the same however often it is asked for. */
class S3Refusal extends Error {}

async function refusal(method: string, key: string, status: number, body: S3Answer['body']) {
  const text = await body.text().catch(() => '')
  const code = /<Code>(\w{1,100})<\/Code>/.exec(text)?.[1]
  const message = `The blob store answered ${status}${code ? ` ${code}` : ''} to ${method} ${key}`
  return status >= 500 || status === 429 ? new BlobStoreAway(message) : new S3Refusal(message)
}

async function missing(body: S3Answer['body']): Promise<null> {
  const text = await body.text()
  // 404 is also the answer when the bucket is not there, which must not pass for "no such blob".
  if (text.includes('<Code>NoSuchBucket</Code>')) throw new S3Refusal('The bucket of the blob store does not exist')
  return null
}

const unescapeXml = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_match, name: string) => ENTITIES[name as keyof typeof ENTITIES])

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" } as const
