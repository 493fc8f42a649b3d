import { call, callWithProgress } from '../../../api.ts'
import { texts } from '../texts.ts'
import type { DraftService } from './draft-service.ts'

/** The drafts of an inbox, by the API. */
export const draftCalls = (inbox: string): DraftService => ({
  create: (origin, key) => call('inboxes.drafts.create', { inbox, body: origin }, { key }),
  read: (draft) => call('inboxes.drafts.get', { inbox, draft }),
  update: (draft, body, how) => call('inboxes.drafts.update', { inbox, draft, body }, how),
  async attach(draft, file, existing, version, how) {
    const { name: filename, type } = file
    const added = { filename, content: await readBase64(file), ...(type && { content_type: type }) }
    return callWithProgress(
      'inboxes.drafts.update',
      { inbox, draft, body: { attachments: [...existing, added], version } },
      how,
    )
  },
  remove: (draft) => call('inboxes.drafts.remove', { inbox, draft }),
  send: (draft, version) => call('inboxes.drafts.schedule', { inbox, draft, body: { version } }),
})

/** The content of a file as base64. */
function readBase64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).split(',', 2)[1] ?? '')
    reader.onerror = () => reject(new Error(texts.files.readFailed))
    reader.readAsDataURL(file)
  })
}
