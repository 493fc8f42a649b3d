import { createSecretKey, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { OutgoingHttp } from '../../../../adapters/outgoing-http/outgoing-http.ts'
import { signedHeaders } from '../../../../adapters/outgoing-http/signed-headers.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import type { Metrics } from '../../../../platform/observability/metrics.ts'
import { RecordQueue } from '../../../../platform/observability/record-queue.ts'
import { RepeatedErrors } from '../../../../platform/observability/repeated-errors.ts'
import { RotatedFile } from '../../../../platform/observability/rotated-file.ts'
import type { AttemptSink } from '../../../../platform/settings/attempts-setting.ts'
import type { Config } from '../../../../platform/settings/config.ts'

/** Takes batches of lines. */
interface LineSink {
  hand(lines: readonly string[]): Promise<void>
  close(): Promise<void>
}

export interface SinkParts {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<Metrics, 'countAttemptRecords'>
  readonly config: Pick<Config, 'ATTEMPTS' | 'ATTEMPTS_MB' | 'ATTEMPTS_SECRET'>
}

/** Takes records of attempts to where the operator wants them. Delivery never waits for it. */
export interface AttemptRecords {
  add(record: string): void
  close(graceMs: number): Promise<void>
}

/** How many files `ATTEMPTS_MB` is shared by. */
const MAX_FILES = 8
const MAX_POSTED_RECORDS = 500

const DROPPED = 'delivery: attempt records dropped'

/** Null: nobody wants them. */
export function openAttemptRecords(parts: SinkParts): AttemptRecords | null {
  const taker = sinkFor(parts.config.ATTEMPTS, parts)
  if (!taker) return null
  const errors = new RepeatedErrors(parts.log, DROPPED)
  let isClosing = false
  const queue = new RecordQueue({
    hand: (lines) => taker.hand(lines),
    onTaken: (records) => parts.metrics.countAttemptRecords('taken', records),
    onDropped(records, error) {
      parts.metrics.countAttemptRecords('dropped', records)
      // That a stop has an end is no error, and needs no stack.
      if (isClosing) parts.log.warn({ records, reason: 'the process stops' }, DROPPED)
      else errors.note(error, { records })
    },
    ...(parts.config.ATTEMPTS.kind === 'webhook' && { maxBatchRecords: MAX_POSTED_RECORDS }),
  })
  let closed: Promise<void> | null = null
  const close = async (graceMs: number) => {
    isClosing = true
    await queue.stop(graceMs)
    await taker.close()
  }
  return {
    add: (record) => queue.add(record),
    close(graceMs) {
      closed ??= close(graceMs)
      return closed
    },
  }
}

function sinkFor(sink: AttemptSink, { clock, config }: SinkParts): LineSink | null {
  switch (sink.kind) {
    case 'off':
      return null
    case 'stdout':
      return { hand: writeToStdout, close: async () => {} }
    case 'file': {
      const maxBytes = Math.floor((config.ATTEMPTS_MB * 1024 * 1024) / MAX_FILES)
      const file = new RotatedFile({ path: sink.path, maxBytes, maxFiles: MAX_FILES, clock })
      return { hand: (lines) => file.append(lines), close: () => file.close() }
    }
    case 'webhook':
      return webhookTaker(sink.url, config.ATTEMPTS_SECRET!, clock)
  }
}

/** Resolves when the pipe has taken them: a reader that stands still fills the queue, and then records are dropped. */
const writeToStdout = (lines: readonly string[]) =>
  new Promise<void>((resolve, reject) => {
    process.stdout.write(`${lines.join('\n')}\n`, (error) => (error ? reject(error) : resolve()))
  })

const POST_TIMEOUT_MS = 10_000
/** Between attempts with one batch. Meanwhile the queue fills. */
const POST_RETRY_MS = [1_000, 5_000, 15_000] as const
const MAX_ANSWER_BYTES = 1_024

/** The operator has named it, so it may be anywhere. A batch keeps its id when it is posted again. */
function webhookTaker(url: string, secret: string, clock: Clock): LineSink {
  const http = new OutgoingHttp({ allowPrivateAddresses: true })
  const key = createSecretKey(Buffer.from(secret.slice('whsec_'.length), 'base64'))
  const closing = new AbortController()

  async function post(id: string, body: Buffer): Promise<string | null> {
    const sentAt = clock.now()
    const outcome = await http.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...signedHeaders({ id, sentAt, body }, [key]) },
      body,
      timeoutMs: POST_TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      whenTooLarge: 'cut',
      signal: closing.signal,
    })
    if (outcome.kind !== 'answered') return outcome.reason
    return outcome.status >= 200 && outcome.status < 300 ? null : `it answered ${outcome.status}`
  }

  return {
    async hand(lines) {
      const id = `msg_${randomUUID()}`
      const createdAt = JSON.stringify(clock.now().toISOString())
      const body = Buffer.from(`{"type":"delivery.attempts","created_at":${createdAt},"data":[${lines.join(',')}]}`)
      let problem = await post(id, body)
      for (const ms of POST_RETRY_MS) {
        if (problem === null) return
        await wait(ms, undefined, { ref: false, signal: closing.signal })
        problem = await post(id, body)
      }
      if (problem !== null) throw new Error(problem)
    },
    async close() {
      closing.abort(new Error('the process stops'))
      await http.close(0)
    },
  }
}
