import { S3BlobStore } from '../../../adapters/blobs/s3-blob-store.ts'
import { OperatorError } from '../command.ts'
import { type BackupStore, requireName } from './store.ts'

/** Backups in a bucket, below a prefix. */
export class S3Store implements BackupStore {
  readonly address: string
  readonly #bucket: S3BlobStore
  readonly #prefix: string

  constructor(given: string) {
    const { origin, pathname, username, password, searchParams } = new URL(given)
    const [bucket = '', ...prefix] = pathname.split('/').filter((part) => part !== '')
    if (bucket === '')
      throw new OperatorError('POSTWREN_BACKUP_URL must name a bucket, like https://key:secret@host/bucket.')
    this.#prefix = prefix.map((part) => `${part}/`).join('')
    if (this.#prefix !== '') requireName(this.#prefix.slice(0, -1))
    this.address = `${origin}/${bucket}/${this.#prefix}`.replace(/\/$/, '')
    this.#bucket = new S3BlobStore({
      endpoint: origin,
      bucket,
      region: searchParams.get('region') ?? 'us-east-1',
      accessKeyId: decodeURIComponent(username),
      secretAccessKey: decodeURIComponent(password),
      requireKey: requireName,
    })
  }

  put(name: string, content: Buffer) {
    return this.#explain(() => this.#bucket.put(this.#prefix + name, content))
  }

  get(name: string, maxBytes: number) {
    return this.#explain(async () => {
      const size = await this.size(name)
      if (size === null) return null
      if (size > maxBytes) throw new OperatorError(`${this.address}/${name} is larger than any file of a backup.`)
      return this.#bucket.get(this.#prefix + name)
    })
  }

  size(name: string) {
    return this.#explain(() => this.#bucket.size(this.#prefix + name))
  }

  async folders() {
    const { folders } = await this.#list('')
    return folders.map((folder) => folder.slice(this.#prefix.length, -1))
  }

  async removeFolder(name: string) {
    const { keys, folders } = await this.#list(`${name}/`)
    for (const folder of folders) await this.removeFolder(folder.slice(this.#prefix.length, -1))
    for (const key of keys) await this.#explain(() => this.#bucket.remove(key))
  }

  close() {
    return this.#bucket.close()
  }

  async #list(below: string) {
    const [keys, folders]: [string[], string[]] = [[], []]
    let next: string | undefined
    do {
      const page = await this.#explain(() => this.#bucket.list(this.#prefix + below, next))
      keys.push(...page.keys)
      folders.push(...page.folders)
      next = page.next
    } while (next !== undefined)
    return { keys, folders }
  }

  async #explain<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof OperatorError) throw error
      throw new OperatorError(`${this.address} cannot be used: ${(error as Error).message}`, { cause: error })
    }
  }
}
