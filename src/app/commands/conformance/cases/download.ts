import type { CaseRun } from '../suite/case-run.ts'

const MAX_BYTES = 1024 * 1024

/** What is behind a link that the server gave, without the key. */
export async function fetchText(trial: CaseRun, link: unknown): Promise<string> {
  if (typeof link !== 'string' || !/^https?:\/\//.test(link)) return 'no link'
  const { timeoutMs, signal } = trial.world.options
  try {
    const reply = await fetch(link, { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of reply.body ?? []) {
      size += chunk.length
      if (size > MAX_BYTES) return 'too large'
      chunks.push(chunk)
    }
    return reply.ok ? Buffer.concat(chunks).toString('utf8') : `status ${reply.status}`
  } catch (error) {
    signal.throwIfAborted()
    return `no answer (${(error as Error).message})`
  }
}
