import { draftCalls } from './draft-calls.ts'
import { type Content, contentOf, type Draft, isSent, NOTHING, type Origin } from './draft-content.ts'
import { DraftSaver } from './draft-saver.ts'
import type { Beginning } from './draft-state.ts'
import { newKey } from './file-queue.ts'
import { isProblem } from './problems.ts'
import type { UnsavedDraft } from './unsaved-draft.ts'
import { holdOpen, isOpen, removeUnsavedDraft, storeUnsavedDraft, unsavedDraftsOf } from './unsaved-drafts.ts'

// Drafts that are being written in this tab. One outlives its editor until the service has all of it; whoever opens it again meanwhile
// goes on with the same one.

const open = new Map<DraftSaver, () => void>()

/** What could not be kept in the browser, because there is no room. */
const notStored = new Set<string>()

const storage = {
  store(unsaved: UnsavedDraft) {
    const isStored = storeUnsavedDraft(unsaved)
    if (isStored) notStored.delete(unsaved.key)
    else notStored.add(unsaved.key)
    return isStored
  },
  remove(key: string) {
    notStored.delete(key)
    removeUnsavedDraft(key)
  },
}

function begin(beginning: Beginning): DraftSaver {
  const saver = new DraftSaver(draftCalls(beginning.inbox), storage, beginning)
  open.set(saver, holdOpen(beginning.key))
  return saver
}

const among = (isMeant: (saver: DraftSaver) => boolean) => [...open.keys()].find((one) => !one.isEnded && isMeant(one))

const isSameReply = (origin: Origin, other: Origin) =>
  origin.reply_to_email_id !== undefined && origin.reply_to_email_id === other.reply_to_email_id

/** A draft that is not there yet: it comes to be with the first change. */
export async function openNew(inbox: string, origin: Origin = {}, content: Content = NOTHING): Promise<DraftSaver> {
  const there = among(({ beginning }) => isSameReply(beginning.origin, origin))
  if (there) return there
  const left = await findUnsavedDraft(inbox, (one) => one.draftId === null && isSameReply(one.origin, origin))
  const saver = begin({ key: left?.key ?? newKey(), inbox, origin, content, draft: null })
  if (left) saver.restore(left)
  return saver
}

export async function openDraft(inbox: string, id: string): Promise<DraftSaver> {
  const there = among(({ state }) => state.draftId === id)
  if (there) return there
  const draft = await draftCalls(inbox).read(id)
  const origin = originOf(draft)
  const left = await findUnsavedDraft(
    inbox,
    (one) => one.draftId === id || (one.draftId === null && isSameReply(one.origin, origin)),
  )
  const saver = begin({ key: left?.key ?? newKey(), inbox, origin, content: contentOf(draft), draft })
  if (left) saver.restore(left)
  return saver
}

const originOf = ({ thread_id, reply_to_email_id, forward_of_email_id }: Draft): Origin => ({
  ...(thread_id !== null && { thread_id }),
  ...(reply_to_email_id !== null && { reply_to_email_id }),
  ...(forward_of_email_id !== null && { forward_of_email_id }),
})

/** Its editor is closed. What is not saved yet will be. */
export async function close(saver: DraftSaver) {
  await saver.flush()
  if (saver.isBehind && !saver.isEnded) return
  open.get(saver)?.()
  open.delete(saver)
}

/** The draft was sent or deleted elsewhere: the text goes on in another one. */
export async function startAnew(gone: DraftSaver): Promise<DraftSaver> {
  const { inbox, origin } = gone.beginning
  const { thread_id, reply_to_email_id } = origin
  const isReply = thread_id !== undefined && reply_to_email_id !== undefined
  gone.end()
  const saver = await openNew(inbox, isReply ? { thread_id, reply_to_email_id } : {})
  saver.replace(gone.state.content)
  return saver
}

async function findUnsavedDraft(
  inbox: string,
  isMeant: (unsaved: UnsavedDraft) => boolean,
): Promise<UnsavedDraft | undefined> {
  for (const unsaved of unsavedDraftsOf(inbox)) if (isMeant(unsaved) && !(await isOpen(unsaved))) return unsaved
  return undefined
}

/** Brings to the service what tabs have left behind that were closed without a connection. Tells how many drafts it were. */
export async function saveUnsavedDrafts(inbox: string): Promise<number> {
  let count = 0
  for (const unsaved of unsavedDraftsOf(inbox)) {
    if (await isOpen(unsaved)) continue
    const saver = await reopen(inbox, unsaved).catch(() => null)
    if (saver === null) continue
    if (await saver.flush()) count += 1
    // With two texts it waits for somebody who opens the draft and chooses.
    open.get(saver)?.()
    open.delete(saver)
  }
  return count
}

async function reopen(inbox: string, unsaved: UnsavedDraft): Promise<DraftSaver> {
  const { key, draftId } = unsaved
  const draft = draftId === null ? null : await readUnsent(inbox, draftId)
  const origin = draftId !== null && draft === null ? {} : unsaved.origin
  const saver = begin({ key, inbox, origin, content: draft ? contentOf(draft) : NOTHING, draft })
  saver.restore(unsaved)
  return saver
}

/** Null: it was sent or deleted, and what was written since is a draft of its own. */
async function readUnsent(inbox: string, id: string): Promise<Draft | null> {
  try {
    const draft = await draftCalls(inbox).read(id)
    return isSent(draft) ? null : draft
  } catch (error) {
    if (isProblem(error, 404)) return null
    throw error
  }
}

const all = (act: (saver: DraftSaver) => void) => () => {
  for (const saver of open.keys()) if (!saver.isEnded) act(saver)
}

addEventListener(
  'pagehide',
  all((saver) => saver.leave()),
)
addEventListener(
  'online',
  all((saver) => saver.flush()),
)
document.addEventListener('visibilitychange', () => document.hidden && all((saver) => saver.flush())())
addEventListener('beforeunload', (event) => {
  // Texts are kept; files that are under way are not, nor what there was no room for.
  const isLost = [...open.keys()].some(({ state }) => state.uploads.some(({ error }) => error === null))
  if (isLost || notStored.size > 0) event.preventDefault()
})
