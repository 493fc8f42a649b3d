import { texts } from '../texts.ts'
import { type Content, contentOf, type Draft, fieldsOf, fingerprintOf, isSent, UNKNOWN } from './draft-content.ts'
import type { DraftService } from './draft-service.ts'
import type { Beginning, DraftStorage, SaverState } from './draft-state.ts'
import { FileQueue } from './file-queue.ts'
import { isPassing, isProblem } from './problems.ts'
import { reconcile } from './reconcile.ts'
import type { UnsavedDraft } from './unsaved-draft.ts'

/** As long as people pause; at most this much is in no draft yet. */
const SAVE_MS = 1_000
const RETRY_MS = [2_000, 5_000, 15_000, 30_000]
/** Browsers finish requests of closed pages up to 64 kB, and a letter may take four bytes. */
const KEEPALIVE_CHARACTERS = 15_000
const MAX_UNCONFIRMED = 20

export interface SentDraft {
  readonly draftId: string
  readonly threadId: string | null
}

/**
 * Keeps one draft on the service as it is written. One call is under way at a time, each names the version that it changes, and whatever
 * the service does not have yet is kept in the browser. A draft comes to be with the first change: first empty, under a key of its
 * own, so that asking twice makes one; then with what was written.
 */
export class DraftSaver {
  readonly beginning: Beginning
  readonly #service: DraftService
  readonly #storage: DraftStorage
  readonly #listeners = new Set<() => void>()
  readonly #queue = new FileQueue(() => this.#set({ uploads: this.#queue.uploads }))
  #state: SaverState
  #version: number
  /** Of the content that the service has. */
  #fingerprint: number
  /** Of what was sent to it since, without an answer. */
  #unconfirmed: readonly number[] = []
  #work: Promise<void> | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #attempts = 0
  #isSending = false
  #isEnded = false
  /** What was noticed while something was under way. */
  #news: Draft | null = null

  constructor(service: DraftService, storage: DraftStorage, beginning: Beginning) {
    const { content, draft } = beginning
    this.#service = service
    this.#storage = storage
    this.beginning = beginning
    this.#version = draft?.version ?? 0
    this.#fingerprint = fingerprintOf(content)
    this.#state = {
      content,
      revision: 0,
      draftId: draft?.id ?? null,
      source: draft?.source ?? 'dashboard',
      files: draft?.attachments ?? [],
      uploads: [],
      phase: { kind: 'calm', isChanged: false },
    }
  }

  get state(): SaverState {
    return this.#state
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Whether there is anything that the service does not have. */
  get isBehind(): boolean {
    return this.#isChanged || !this.#queue.isEmpty
  }

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  change(part: Partial<Content>) {
    this.#set({ content: { ...this.#state.content, ...part } })
    this.#changed()
  }

  /** The same from somewhere else than the form, which begins with it anew. */
  replace(part: Partial<Content>) {
    this.#replace({ ...this.#state.content, ...part })
    this.#changed()
  }

  addFiles(files: readonly File[]) {
    this.#queue.add(files)
    this.flush()
  }

  cancelUpload(id: string) {
    this.#queue.cancel(id)
  }

  removeFile(id: string) {
    this.#queue.remove(id)
    this.#set({ files: this.#state.files.filter((one) => one.id !== id) })
    this.flush()
  }

  /** Goes on with what was left behind, by a tab that was closed or a connection that broke. */
  restore({ content, draftId, fingerprint, unconfirmed }: UnsavedDraft) {
    const { draft } = this.beginning
    const known = { content, fingerprint: draft?.id === draftId ? fingerprint : UNKNOWN, unconfirmed }
    const whose = draft === null ? 'ours' : reconcile(known, draft)
    this.#unconfirmed = unconfirmed
    if (whose === 'theirs') return this.#store()
    this.#replace(content)
    if (whose === 'both') this.#set({ phase: { kind: 'conflict', theirs: draft! } })
    this.#changed()
  }

  /** Saves now. `isWhole`: also when nothing was changed, so that there is a draft to send. Tells whether the service has everything. */
  async flush({ isWhole = false } = {}): Promise<boolean> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#work) await this.#work
    if (this.#isToDo(isWhole)) {
      this.#work = this.#drain(isWhole).finally(() => {
        this.#work = null
        this.#catchUp()
      })
      await this.#work
    }
    return !this.isBehind && !this.#isStuck
  }

  /** Of a draft that was read again because something happened to it: if nothing is written here, what is new is shown. */
  noticed(draft: Draft) {
    // Nobody tells it twice, and whether it is news is known once there is an answer: an earlier one may come later.
    if (this.#work || this.#isSending) {
      this.#news = draft
      return
    }
    if (this.#isSendingUndone(draft)) {
      this.#set({ phase: { kind: 'calm', isChanged: false } })
      this.#adopt(draft)
      return this.#changed()
    }
    const isNews = draft.version > this.#version || isSent(draft)
    if (isNews && !this.#isEnded && !this.#isStuck) this.#adopt(draft)
  }

  /** When both sides have changed it: this is to be the text. */
  settle(content: Content) {
    const { phase } = this.#state
    if (phase.kind !== 'conflict') return
    this.#set({ phase: { kind: 'calm', isChanged: true } })
    this.#know(phase.theirs)
    this.#replace(content)
    this.#changed()
    this.flush()
  }

  /** Sends what is written: once, however often it is asked for. Tells which draft it was, and of which thread. */
  async send(): Promise<SentDraft> {
    const failed = this.#state.uploads.find(({ error }) => error !== null)
    if (failed) throw new Error(texts.files.notAttached(failed.name))
    this.#isSending = true
    try {
      const threadId = await this.#saveAndSend()
      this.end()
      return { draftId: this.#state.draftId!, threadId }
    } finally {
      this.#isSending = false
      this.#catchUp()
    }
  }

  async #saveAndSend(): Promise<string | null> {
    const isSaved = await this.flush({ isWhole: true })
    const { phase, draftId } = this.#state
    if (!isSaved || draftId === null) throw new Error('reason' in phase ? phase.reason : texts.saving.failedBeforeSend)
    try {
      return (await this.#service.send(draftId, this.#version)).thread_id
    } catch (error) {
      if (!isProblem(error, 409)) throw error
      const draft = await this.#service.read(draftId)
      if (!isSent(draft)) {
        this.#adopt(draft)
        throw new Error(texts.saving.changedBeforeSend)
      }
      // Sent already: the answer of the first time did not arrive.
      return draft.thread_id
    }
  }

  /** Throws it away, here and on the service. */
  async discard() {
    this.#isEnded = true
    this.#queue.stop()
    while (this.#work) await this.#work
    const { draftId, phase } = this.#state
    try {
      if (draftId !== null && phase.kind !== 'gone') await this.#service.remove(draftId)
    } catch (error) {
      this.#isEnded = isProblem(error, 404)
      if (!this.#isEnded) throw error
    }
    this.end()
  }

  /** The page is closed: what is not saved is kept, and sent along as far as browsers allow. */
  leave() {
    const { draftId, content } = this.#state
    const fields = fieldsOf(content)
    const isShort = (fields.html?.length ?? 0) + (fields.text?.length ?? 0) < KEEPALIVE_CHARACTERS
    const isSent = isShort && !this.#work && draftId !== null && this.#isToDo(false) && this.#isChanged
    if (isSent) this.#sending(content)
    this.#store()
    if (isSent)
      this.#service.update(draftId, { ...fields, version: this.#version }, { keepalive: true }).catch(() => {})
  }

  /** From now on nothing of it is kept. */
  end() {
    this.#isEnded = true
    clearTimeout(this.#timer)
    this.#storage.remove(this.beginning.key)
  }

  get #isChanged(): boolean {
    return fingerprintOf(this.#state.content) !== this.#fingerprint
  }

  /** Somebody has to say how it goes on. */
  get #isStuck(): boolean {
    const { kind } = this.#state.phase
    return kind === 'conflict' || kind === 'gone'
  }

  /** Undo sending keeps the version of the draft. */
  #isSendingUndone(draft: Draft): boolean {
    const { phase } = this.#state
    return !this.#isEnded && phase.kind === 'gone' && phase.how === 'sent' && !isSent(draft)
  }

  #isToDo(isWhole: boolean): boolean {
    return !this.#isEnded && !this.#isStuck && (this.isBehind || (isWhole && this.#state.draftId === null))
  }

  #set(part: Partial<SaverState>) {
    this.#state = { ...this.#state, ...part }
    for (const listener of this.#listeners) listener()
  }

  #replace(content: Content) {
    this.#set({ content, revision: this.#state.revision + 1 })
  }

  #changed() {
    this.#store()
    if (this.#isStuck || this.#isEnded) return
    const { kind } = this.#state.phase
    if (kind === 'calm' || kind === 'refused') this.#set({ phase: { kind: 'calm', isChanged: this.#isChanged } })
    this.#timer ??= setTimeout(() => this.flush(), SAVE_MS)
  }

  #store() {
    if (this.#isEnded) return
    const { key, inbox, origin } = this.beginning
    if (!this.#isChanged) return this.#storage.remove(key)
    const { draftId, content } = this.#state
    const known = { version: this.#version, fingerprint: this.#fingerprint, unconfirmed: this.#unconfirmed }
    this.#storage.store({ key, inbox, origin, draftId, ...known, content, at: Date.now() })
  }

  #catchUp() {
    const news = this.#news
    this.#news = null
    if (news) this.noticed(news)
  }

  async #drain(isWhole: boolean) {
    this.#set({ phase: { kind: 'saving' } })
    try {
      while (this.#isToDo(isWhole)) await this.#step()
      this.#attempts = 0
      if (!this.#isStuck) this.#set({ phase: { kind: 'calm', isChanged: this.#isChanged } })
    } catch (error) {
      this.#failed(error as Error)
    }
    this.#store()
  }

  async #step() {
    const { draftId } = this.#state
    if (draftId === null) return this.#create()
    try {
      if (this.#isChanged) await this.#update(draftId)
      else await this.#moveFile(draftId)
    } catch (error) {
      if (isProblem(error, 404)) this.#set({ phase: { kind: 'gone', how: 'deleted' } })
      else if (isProblem(error, 409)) this.#adopt(await this.#service.read(draftId))
      else throw error
    }
  }

  async #create() {
    const { origin, key } = this.beginning
    const { id, version } = await this.#service.create(origin, key)
    this.#set({ draftId: id })
    this.#version = version
    this.#fingerprint = UNKNOWN
    // A reply may have had a draft before, with a text of its own.
    if (origin.reply_to_email_id !== undefined) this.#adopt(await this.#service.read(id))
  }

  async #update(id: string) {
    const { content } = this.#state
    this.#sending(content)
    this.#store()
    const { version } = await this.#service.update(id, { ...fieldsOf(content), version: this.#version })
    this.#version = version
    this.#fingerprint = fingerprintOf(content)
    this.#unconfirmed = []
  }

  async #moveFile(id: string) {
    await this.#queue.run(this.#service, { id, version: this.#version, files: this.#state.files })
    this.#adopt(await this.#service.read(id))
  }

  #sending(content: Content) {
    this.#unconfirmed = [...new Set([...this.#unconfirmed, fingerprintOf(content)])].slice(-MAX_UNCONFIRMED)
  }

  /** The draft as the service has it. */
  #adopt(draft: Draft) {
    if (isSent(draft)) return this.#set({ phase: { kind: 'gone', how: 'sent' } })
    const known = { content: this.#state.content, fingerprint: this.#fingerprint, unconfirmed: this.#unconfirmed }
    const whose = reconcile(known, draft)
    if (whose === 'both') return this.#set({ phase: { kind: 'conflict', theirs: draft } })
    this.#know(draft)
    if (whose === 'theirs') this.#replace(contentOf(draft))
  }

  #know(draft: Draft) {
    this.#queue.seen(draft.attachments, this.#state.files)
    this.#version = draft.version
    this.#fingerprint = fingerprintOf(contentOf(draft))
    this.#unconfirmed = []
    this.#set({ draftId: draft.id, files: draft.attachments })
  }

  #failed(error: Error) {
    // Another call under the same key is under way: it is ours, and its answer is to come.
    const isTried = isPassing(error) || isProblem(error, 409)
    this.#set({ phase: { kind: isTried ? 'waiting' : 'refused', reason: error.message } })
    if (!isTried || this.#isEnded) return
    const pause = RETRY_MS[Math.min(this.#attempts, RETRY_MS.length - 1)]!
    this.#attempts += 1
    this.#timer ??= setTimeout(() => this.flush(), pause)
  }
}
