import { call, callWithProgress, type Input } from '../../../api.ts'
import type { Draft, Origin } from './draft-content.ts'

type Changes = Input<'inboxes.drafts.update'>['body']

/** Where drafts are kept. Of the tests it is another one. */
export interface DraftService {
  /** The same key makes one draft, however often it is called. A reply that has a draft answers with that one. */
  create(origin: Origin, key: string): Promise<{ readonly id: string; readonly version: number }>
  read(id: string): Promise<Draft>
  update(id: string, changes: Changes, how?: { readonly keepalive?: boolean }): Promise<{ readonly version: number }>
  upload(
    id: string,
    changes: Changes,
    how: { readonly onProgress: (share: number) => void; readonly signal: AbortSignal },
  ): Promise<{ readonly version: number }>
  remove(id: string): Promise<unknown>
  /** This version and no other, once. */
  send(id: string, version: number): Promise<unknown>
}

export const draftService = (inbox: string): DraftService => ({
  create: (origin, key) => call('inboxes.drafts.create', { inbox, body: origin }, { key }),
  read: (draft) => call('inboxes.drafts.get', { inbox, draft }),
  update: (draft, body, how) => call('inboxes.drafts.update', { inbox, draft, body }, how),
  upload: (draft, body, how) => callWithProgress('inboxes.drafts.update', { inbox, draft, body }, how),
  remove: (draft) => call('inboxes.drafts.remove', { inbox, draft }),
  send: (draft, version) =>
    call('inboxes.drafts.send', { inbox, draft, body: { version } }, { key: `${draft}-${version}` }),
})
