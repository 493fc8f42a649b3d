import { Acceptance } from '../delivery/accept.ts'
import type { BlobStore } from '../platform/blobs/blob-store.ts'
import { allowsPrivateAddresses, type Config } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import { LinkSigner } from '../platform/links.ts'
import { OutgoingHttp } from '../platform/outgoing-http/outgoing-http.ts'
import type { Sealer } from '../platform/secrets.ts'
import { Senders } from '../resources/domains/actions.ts'
import type { Download } from '../resources/emails/attachments.ts'
import { KeysInFlight } from '../resources/emails/idempotency.ts'
import type { MailRoom } from '../resources/emails/mail-room.ts'

const DOWNLOAD_MS = 15_000
const MAX_REDIRECTS = 3

export interface MailRoomParts {
  readonly db: Database
  readonly config: Config
  readonly sealer: Sealer
  readonly blobs: BlobStore
  publicUrl(): string
}

export function createMailRoom({ db, config, sealer, blobs, publicUrl }: MailRoomParts): MailRoom {
  const http = new OutgoingHttp({ allowPrivateAddresses: allowsPrivateAddresses(config) })
  return {
    acceptance: new Acceptance(db),
    senders: new Senders(db),
    keysInFlight: new KeysInFlight(),
    contents: blobs,
    download: downloader(http),
    links: new LinkSigner(sealer.deriveKey('links')),
    get publicUrl() {
      return publicUrl()
    },
  }
}

const downloader =
  (http: OutgoingHttp): Download =>
  async (url, room) => {
    const answer = await http.send({
      method: 'GET',
      url,
      timeoutMs: DOWNLOAD_MS,
      maxBytes: room.bytes,
      room,
      maxRedirects: MAX_REDIRECTS,
    })
    if (answer.kind === 'too_large') return 'too_large'
    if (answer.kind !== 'answered') return { refusal: answer.reason }
    if (answer.status !== 200) return { refusal: `the server answered ${answer.status}` }
    return { content: answer.body, contentType: answer.headers['content-type']?.split(';')[0]?.trim() ?? null }
  }
