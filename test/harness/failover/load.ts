import { setTimeout as delay } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import type { Service } from '../service.ts'
import type { Arrivals } from './arrivals.ts'
import type { Installation } from './installation.ts'

const CALLERS = 2
const REQUEST_MS = 20_000
/** So that there is load and the machine has time for the cluster, too. */
const PAUSE_MS = 80
/** More does not wait to be delivered: on a machine that delivers more slowly than it accepts, broadcasts would wait behind it for ever. */
const MAX_BACKLOG = 200

/** An email that was acknowledged, and when. */
export interface Acknowledged {
  readonly to: string
  readonly at: number
  /** The id of the API; null of what was submitted by SMTP. */
  readonly id: string | null
}

export interface Stream {
  readonly name: string
  readonly acknowledged: Acknowledged[]
}

/**
 * As clients should: an email is sent again under the same key until it is acknowledged, and a submission that was not is another one the
 * next time. `first` and `second` are the two processes of a role.
 */
export function startLoad({ apis, submissions }: Installation, arrivals: Arrivals) {
  let isStopping = false
  const work: Promise<void>[] = []
  const streams: Stream[] = []

  const pause = async () => {
    do await delay(PAUSE_MS)
    while (!isStopping && sumOf(streams) - arrivals.ofLoad() > MAX_BACKLOG)
  }
  const callApi = async (api: Service, index: number, stream: Stream) => {
    for (let number = 0; !isStopping; number++) {
      const to = `api${index}-${number}@sink.dev`
      const body = JSON.stringify({ from: 'a@acme.dev', to, subject: 'Hello', text: 'Hello' })
      for (let id: string | null = null; id === null && !isStopping; ) {
        id = await post(api, body, to)
        if (id) stream.acknowledged.push({ to, id, at: performance.now() })
        await pause()
      }
    }
  }
  const submit = async (smtp: Service, index: number, stream: Stream) => {
    const auth = { user: 'resend', pass: smtp.token }
    const times = { connectionTimeout: REQUEST_MS, greetingTimeout: REQUEST_MS, socketTimeout: REQUEST_MS }
    const transport = createTransport({
      ...{ host: '127.0.0.1', port: smtp.smtpPort, auth, tls: { rejectUnauthorized: false } },
      ...times,
    })
    for (let number = 0; !isStopping; number++) {
      const to = `smtp${index}-${number}@sink.dev`
      const isTaken = await transport.sendMail({ from: 'a@acme.dev', to, subject: 'Hello', text: 'Hello' }).then(
        () => true,
        () => false,
      )
      if (isTaken) stream.acknowledged.push({ to, id: null, at: performance.now() })
      await pause()
    }
  }
  for (const [number, api] of apis.entries()) {
    const stream = { name: `api ${number}`, acknowledged: [] }
    streams.push(stream)
    for (let n = 0; n < CALLERS; n++) work.push(callApi(api, number * CALLERS + n, stream))
  }
  for (const [number, smtp] of submissions.entries()) {
    const stream = { name: `smtp ${number}`, acknowledged: [] }
    streams.push(stream)
    work.push(submit(smtp, number, stream))
  }

  return {
    streams: streams as readonly Stream[],
    get acknowledged(): Acknowledged[] {
      return streams.flatMap(({ acknowledged }) => acknowledged)
    },
    async stop() {
      isStopping = true
      await Promise.all(work)
    },
  }
}

const sumOf = (streams: readonly Stream[]) => streams.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0)

/** Null: it was refused, or nobody knows. */
async function post(api: Service, body: string, key: string): Promise<string | null> {
  try {
    const reply = await fetch(`${api.url}/emails`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${api.token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body,
      signal: AbortSignal.timeout(REQUEST_MS),
    })
    const { id } = (await reply.json()) as { id?: string }
    return reply.status === 200 ? id! : null
  } catch {
    return null
  }
}
