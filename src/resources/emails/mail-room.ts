import type { Readable } from 'node:stream'
import type { Acceptance } from '../../delivery/accept.ts'
import type { LinkSigner } from '../../platform/links.ts'
import type { Senders } from '../domains/actions.ts'
import type { Download } from './attachments.ts'
import type { KeysInFlight } from './idempotency.ts'

/** Where contents are kept: the part of a blob store that emails use. */
export interface Contents {
  put(key: string, content: Buffer): Promise<void>
  get(key: string): Promise<Buffer | null>
  open(key: string): Promise<Readable | null>
  remove(key: string): Promise<void>
}

/** What sending needs besides the database, made once for a process. */
export interface MailRoom {
  readonly acceptance: Acceptance
  readonly senders: Senders
  readonly keysInFlight: KeysInFlight
  readonly contents: Contents
  readonly download: Download
  readonly links: LinkSigner
  readonly publicUrl: string
}

declare module '../../http/endpoint.ts' {
  interface Context {
    readonly mail: MailRoom
  }
}
