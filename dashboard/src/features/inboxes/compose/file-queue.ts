import { texts } from '../texts.ts'
import type { DraftFile } from './draft-content.ts'
import type { DraftService } from './draft-service.ts'
import { isPassing, isProblem } from './problems.ts'

/** A file on its way to the service. */
export interface Upload {
  readonly id: string
  readonly name: string
  readonly size: number
  /** How much of it has left, from 0 to 1. */
  readonly share: number
  /** Why it did not get there. */
  readonly error: string | null
}

interface Adding {
  readonly kind: 'add'
  readonly upload: string
  readonly file: File
  readonly abort: AbortController
}
type Job = Adding | { readonly kind: 'remove'; readonly file: string }

/** The draft as it is on the service. */
interface DraftRef {
  readonly id: string
  readonly version: number
  readonly files: readonly DraftFile[]
}

/** Files that come to a draft or leave it, one after the other. */
export class FileQueue {
  readonly #onChange: () => void
  #jobs: readonly Job[] = []
  #uploads: readonly Upload[] = []

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get uploads() {
    return this.#uploads
  }

  get isEmpty() {
    return this.#jobs.length === 0
  }

  add(files: readonly File[]) {
    const added = files.map((file) => ({ kind: 'add', upload: newKey(), file, abort: new AbortController() }) as const)
    this.#jobs = [...this.#jobs, ...added]
    this.#show([
      ...this.#uploads,
      ...added.map(({ upload, file: { name, size } }) => ({ id: upload, name, size, share: 0, error: null })),
    ])
  }

  remove(file: string) {
    this.#jobs = [...this.#jobs, { kind: 'remove', file }]
  }

  /** Stops it wherever it is, or takes it off the list. */
  cancel(upload: string) {
    const job = this.#jobs.find((one) => one.kind === 'add' && one.upload === upload)
    this.#drop(job)
    if (job?.kind === 'add') job.abort.abort(new Error(texts.files.stopped))
    this.#show(this.#uploads.filter(({ id }) => id !== upload))
  }

  stop() {
    for (const { id } of this.#uploads) this.cancel(id)
    this.#jobs = []
  }

  /** Does the first thing that is to be done. What the service refuses for good is not tried again. */
  async run(service: DraftService, draft: DraftRef) {
    const job = this.#jobs[0]!
    try {
      if (job.kind === 'add') await this.#attach(service, draft, job)
      else await service.update(draft.id, { attachments: idsOf(draft.files, job.file), version: draft.version })
    } catch (error) {
      if (this.#jobs.includes(job) && (isPassing(error) || isProblem(error, 409) || isProblem(error, 404))) throw error
      if (job.kind === 'add') this.#change(job.upload, { error: (error as Error).message })
    }
    this.#drop(job)
  }

  /** The files that the draft has now. An upload whose answer was lost is found among them, and not made twice. */
  seen(files: readonly DraftFile[], before: readonly DraftFile[]) {
    const known = new Set(before.map(({ id }) => id))
    const job = this.#jobs[0]
    const isThere = (file: DraftFile) =>
      job?.kind === 'add' && !known.has(file.id) && file.size === job.file.size && file.filename === job.file.name
    if (files.some(isThere)) this.#drop(job)
    const waiting = new Set(this.#jobs.map((one) => one.kind === 'add' && one.upload))
    this.#show(this.#uploads.filter(({ id, error }) => error !== null || waiting.has(id)))
  }

  #attach(service: DraftService, { id, version, files }: DraftRef, { file, upload, abort }: Adding) {
    const onProgress = (share: number) => this.#change(upload, { share })
    return service.attach(id, file, idsOf(files), version, { onProgress, signal: abort.signal })
  }

  #drop(job: Job | undefined) {
    this.#jobs = this.#jobs.filter((one) => one !== job)
  }

  #change(id: string, part: Partial<Upload>) {
    this.#show(this.#uploads.map((one) => (one.id === id ? { ...one, ...part } : one)))
  }

  #show(uploads: readonly Upload[]) {
    this.#uploads = uploads
    this.#onChange()
  }
}

const idsOf = (files: readonly DraftFile[], without?: string) =>
  files.filter(({ id }) => id !== without).map(({ id }) => ({ id }))

/** Browsers make UUIDs on secure pages only. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
