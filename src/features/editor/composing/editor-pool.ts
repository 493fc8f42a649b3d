import { Problem } from '../../../kernel/http/problem.ts'
import { assetPath } from '../../../platform/assets.ts'
import { FairQueue } from '../../../platform/concurrency/fair-queue.ts'
import { ThreadPool } from '../../../platform/worker-threads/thread-pool.ts'
import { ThreadLimitReached } from '../../../platform/worker-threads/work.ts'
import { MAX_DOCUMENT_BYTES, MAX_IMPORT_LENGTH, type ResourceType } from '../limits.ts'
import type { Composed } from './compose.ts'
import type { Answer } from './refusal.ts'

// React, TipTap and a DOM are some megabytes of code that a service without an open editor does not have in memory: they are in threads that
// start with the first document and end after a minute without work.
const pool = new ThreadPool({ entry: () => assetPath('editor-worker.js'), threads: 2, heapMb: 384 })

/** Loading it all counts, with the first document of a thread: half a second of CPU. The largest document takes some 5 s. */
const MAX_WORK_MS = 30_000
const LIGHT_BYTES = 64 * 1024

/** Fair between teams: a hundred large documents of one team delay only that team. */
const turns = new FairQueue({ slots: 4, perTenant: 2, waitingPerTenant: 20, waitMs: 20_000 })

/** Html and text of a document, and the document normalized by the schema. Refuses unknown nodes. */
export async function composeInWorker(team: string, content: object, resourceType: ResourceType): Promise<Composed> {
  const json = JSON.stringify(content)
  if (Buffer.byteLength(json) > MAX_DOCUMENT_BYTES)
    throw refusal('content', `It has more than ${MAX_DOCUMENT_BYTES / 1024} kB.`)
  return turns.run(team, () =>
    run<Composed>('compose', { json, resourceType }, { field: 'content', size: json.length }),
  )
}

/** A document of html that was written elsewhere. */
export const importInWorker = (team: string, html: string) => fromText(team, 'import', { field: 'html', text: html })

/** One of text without html. */
export const paragraphsInWorker = (team: string, text: string) => fromText(team, 'paragraphs', { field: 'text', text })

async function fromText(
  team: string,
  name: 'import' | 'paragraphs',
  { field, text }: { readonly field: string; readonly text: string },
): Promise<Readonly<Record<string, unknown>>> {
  if (text.length > MAX_IMPORT_LENGTH)
    throw refusal(field, `It is too long for the editor: more than ${MAX_IMPORT_LENGTH / 1024} kB.`)
  return turns.run(team, () => run(name, { [field]: text }, { field, size: text.length }))
}

let described: Promise<{ data: string; version: string }> | undefined

/** The agent's prompt depends on no team, so it is built once. */
export function describeInWorker(): Promise<{ data: string; version: string }> {
  described ??= run<{ data: string; version: string }>('describe', {}, { field: '', size: 0 }).catch((error) => {
    described = undefined
    throw error
  })
  return described
}

async function run<Result>(
  name: string,
  value: object,
  { field, size }: { readonly field: string; readonly size: number },
): Promise<Result> {
  const input = () => ({ value })
  const isLight = size <= LIGHT_BYTES
  try {
    const answer = await pool.run<Answer<Result>>({ name, input, isLight, limitMs: MAX_WORK_MS })
    if ('refusal' in answer) throw refusal(field, answer.refusal)
    return answer.result
  } catch (error) {
    if (error instanceof ThreadLimitReached) throw refusal(field, `It ${error.message}.`)
    throw error
  }
}

const refusal = (field: string, reason: string) =>
  new Problem('validation_error', `Invalid \`${field}\` field. ${reason}`)
