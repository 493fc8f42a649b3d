import { parentPort } from 'node:worker_threads'
import type { FromThread, ToThread } from './messages.ts'

/** Asks the main thread something, and waits. Others use this thread meanwhile. */
export type Ask = (question: unknown) => Promise<unknown>

/** What a piece of work came to, and which of its buffers move instead of being copied. */
export interface Done {
  readonly result: unknown
  readonly transfer?: readonly ArrayBuffer[]
}

export type Handlers = Readonly<Record<string, (input: never, ask: Ask) => Promise<Done>>>

/** The inside of a thread of a `ThreadPool`: runs its tasks until it ends. */
export function serveThread(works: Handlers) {
  const port = parentPort!
  const answers = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let asked = 0
  const tell = (message: FromThread, transfer: readonly ArrayBuffer[] = []) => port.postMessage(message, [...transfer])
  const askFor =
    (task: number): Ask =>
    (question) => {
      const id = ++asked
      tell({ kind: 'question', task, id, question })
      return new Promise((resolve, reject) => void answers.set(id, { resolve, reject }))
    }

  port.on('message', async (message: ToThread) => {
    if (message.kind === 'answer') {
      const waiting = answers.get(message.id)
      answers.delete(message.id)
      if (message.error === null) waiting?.resolve(message.value)
      else waiting?.reject(new Error(message.error))
      return
    }
    const { task, work, input } = message
    try {
      const { result, transfer } = await works[work]!(input as never, askFor(task))
      tell({ kind: 'done', task, result }, transfer)
    } catch (error) {
      tell({ kind: 'failed', task, reason: error instanceof Error ? error.message : String(error) })
    }
  })
}
