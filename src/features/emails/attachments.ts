import { basename } from 'node:path'
import type { Static } from 'typebox'
import { safeFilename } from '../../mail/filename.ts'
import type { TeamClock } from '../../platform/clock.ts'
import { Semaphore } from '../../platform/concurrency/semaphore.ts'
import { newId } from '../../platform/ids.ts'
import { decodeContent, refusedAttachment as refusal } from './attachment-content.ts'
import type { StoredAttachment } from './delivery/acceptance/accept.ts'
import { BLOCKED_EXTENSIONS, contentTypeOf, extensionOf } from './file-types.ts'
import type { AttachmentInput } from './schema.ts'

/** What all attachments of an email may measure, as they travel: base64 takes four characters for three bytes. */
export const MAX_ATTACHMENT_BYTES = 40 * 1024 * 1024

/** How many attachments of an email are downloaded at the same time. */
const MAX_DOWNLOADS = 4

/** Downloads attachments that are given as URLs. */
export interface Download {
  /** Takes the bytes from the room that there is for all of an email. */
  fetch(
    url: string,
    budget: { bytes: number },
    ref: Pick<EmailRef, 'team'>,
  ): Promise<{ content: Buffer; contentType: string | null } | { refusal: string } | 'too_large'>
  /** For all downloads of one email: runs when its team has room in memory for them. */
  inTurn<Result>(team: string, work: () => Promise<Result>): Promise<Result>
}

/** Whose attachments they are. */
export interface EmailRef {
  readonly team: string
  readonly emailId: string
  readonly clock: TeamClock
}

/** An attachment with its content loaded. */
export interface ReadyAttachment extends StoredAttachment {
  readonly content: Buffer
}

/**
 * Takes the attachments of a request in: decoded or downloaded, named, typed, and within the limits. Downloads run side by side and
 * are looked at in order, so what is refused is refused for its first mistake, and nothing behind a mistake is asked for.
 */
export async function readAttachments(
  given: readonly Static<typeof AttachmentInput>[],
  ref: EmailRef,
  download: Download,
): Promise<ReadyAttachment[]> {
  const read = () => readAll(given, ref, download)
  return given.some(({ path }) => path !== undefined) ? download.inTurn(ref.team, read) : read()
}

async function readAll(
  given: readonly Static<typeof AttachmentInput>[],
  ref: EmailRef,
  download: Download,
): Promise<ReadyAttachment[]> {
  const downloads = new Downloads(download, ref)
  try {
    const contents = given.map((input, index) => readContent(input, index, downloads))
    for (const content of contents) content.catch(() => {}) // awaited below, unless one before it is refused
    const ready: ReadyAttachment[] = []
    let encodedBytesLeft = MAX_ATTACHMENT_BYTES
    for (const [index, input] of given.entries()) {
      const { content, contentType, isText } = await contents[index]!
      encodedBytesLeft -= encodedBytes(content.length)
      if (encodedBytesLeft < 0) throw tooMuch()
      const filename = readFilename(input)
      const id = newId(ref.clock)
      ready.push({
        id,
        filename,
        contentType: typeOf(contentType ?? contentTypeOf(filename), isText),
        contentId: readContentId(input),
        size: content.length,
        blob: blobOf(ref, id),
        content,
      })
    }
    return ready
  } finally {
    downloads.beginNoneFrom(0)
  }
}

export const blobOf = ({ team, emailId }: Omit<EmailRef, 'clock'>, id: string) => `emails/${team}/${emailId}/${id}`

export const encodedBytes = (bytes: number) => Math.ceil(bytes / 3) * 4

async function readContent(
  { content, path, content_type }: Static<typeof AttachmentInput>,
  index: number,
  downloads: Downloads,
): Promise<{ content: Buffer; contentType: string | null; isText: boolean }> {
  if ((content === undefined) === (path === undefined))
    throw refusal('Attachment must have either a `content` or `path`.')
  const contentType = readContentType(content_type)
  if (content !== undefined) {
    // Taken from the room before it is decoded: downloads of the same email begin meanwhile.
    const length = typeof content === 'string' ? Math.floor((content.length * 3) / 4) : 0
    downloads.budget.bytes -= length
    const decoded = await decodeContent(content)
    downloads.budget.bytes += length - decoded.content.length
    return { ...decoded, contentType }
  }
  const downloaded = await downloads.fetch(path!, index)
  return {
    content: downloaded.content,
    contentType: contentType ?? readContentType(downloaded.contentType ?? undefined, true),
    isText: false,
  }
}

/** The downloads of one email: a few at once, in order, sharing what all attachments may measure. */
class Downloads {
  /** Taken from while bytes arrive: four downloads at once need no more memory than one. */
  readonly budget = { bytes: (MAX_ATTACHMENT_BYTES * 3) / 4 }
  readonly #download: Download
  readonly #ref: EmailRef
  readonly #running = new Semaphore(MAX_DOWNLOADS)
  #end = Number.POSITIVE_INFINITY

  constructor(download: Download, ref: EmailRef) {
    this.#download = download
    this.#ref = ref
  }

  beginNoneFrom(index: number) {
    this.#end = Math.min(this.#end, index)
  }

  async fetch(url: string, index: number): Promise<{ content: Buffer; contentType: string | null }> {
    const downloaded = await this.#running.run(1, async () => {
      if (index >= this.#end) return { refusal: 'an earlier attachment was rejected' }
      const answer = await this.#download.fetch(url, this.budget, this.#ref)
      if (answer === 'too_large' || 'refusal' in answer) this.beginNoneFrom(index)
      return answer
    })
    if (downloaded === 'too_large') throw tooMuch()
    if ('refusal' in downloaded)
      throw refusal(`The attachment at \`path\` could not be downloaded: ${downloaded.refusal}`)
    return downloaded
  }
}

/** The name under which it is sent: one that pretends to be another, or hides what it is, is seen through here. */
function readFilename({ filename, path, content_type }: Static<typeof AttachmentInput>): string | null {
  const given = filename || (path ? decodeURIComponentSafely(basename(new URL(path).pathname)) : '')
  // A name says what it is. What says so itself can do without one, as the parts of a forwarded mail often do.
  if (!given && !path && filename !== false && !content_type) throw refusal('Attachment must have a `filename`.')
  const name = given && safeFilename(given)
  refuseExtension(name)
  return name || null
}

export function refuseExtension(name: string) {
  const extension = extensionOf(name)
  if (BLOCKED_EXTENSIONS.has(extension))
    throw refusal(`Attachments with the extension \`.${extension}\` are not allowed.`)
}

function decodeURIComponentSafely(text: string) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const TYPE = /^[\w.+-]+\/[\w.+-]+(?: *; *[\w-]+=(?:"[ !#-[\]-~]*"|[\w.+-]+))*$/

function readContentType(given: string | undefined, isRemote = false): string | null {
  if (given === undefined) return null
  if (TYPE.test(given)) return given
  if (isRemote) return null
  throw refusal('The `content_type` of an attachment must be like `image/png`.')
}

/** Text says in which encoding it is, unless its sender did: without a word, readers take what is beyond ASCII for anything. */
const typeOf = (type: string, isText: boolean) =>
  isText && /^text\//i.test(type) && !/;\s*charset=/i.test(type) ? `${type}; charset=utf-8` : type

function readContentId({ content_id, inline_content_id }: Static<typeof AttachmentInput>): string | null {
  const id = (content_id ?? inline_content_id ?? '').replace(/^<|>$/g, '')
  if (/[\s<>\p{Cc}]/u.test(id))
    throw refusal('The `content_id` of an attachment must not have spaces or angle brackets.')
  return id || null
}

export const tooMuch = () =>
  refusal(`All attachments together must be at most ${MAX_ATTACHMENT_BYTES / (1024 * 1024)} MB, encoded.`)
