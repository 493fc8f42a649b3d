import { get, type IncomingMessage } from 'node:http'
import { type Command, OperatorError } from './command.ts'
import { localUrl } from './local-url.ts'

/** A service that takes longer to answer is not one to send traffic to. */
const ANSWER_MS = 5_000
/** What a service says is short. Something else may listen there. */
const MAX_ANSWER_BYTES = 64 * 1024

export const healthcheck: Command = {
  name: 'healthcheck',
  usage: '',
  summary: 'Exit with 0 if the service of these settings is ready, and with 1 if it is not. For containers',
  words: 0,
  async run({ config }) {
    if (config.PORT === 0) throw new OperatorError('Not ready: POSTWREN_PORT is 0, so nobody knows where to ask.')
    const url = `${localUrl(config)}/readyz`
    const trouble = await troubleAt(url, AbortSignal.timeout(ANSWER_MS))
    if (trouble !== null) throw new OperatorError(`Not ready: ${trouble}`)
  },
}

/** Null: it is ready. One that lacks a role which no process has takes traffic, as /readyz says. */
async function troubleAt(url: string, signal: AbortSignal): Promise<string | null> {
  try {
    const { status, checks = {} } = await answerOf(url, signal)
    if (status === 'ok' || status === 'degraded') return null
    if (status !== 'unavailable') return `what answers at ${url} is not Postwren.`
    const failed = Object.entries(checks).filter(([, state]) => state !== 'ok')
    return `${failed.map(([check, state]) => `${check} ${state}`).join(', ')}.`
  } catch (error) {
    if (signal.aborted) return `no answer from ${url} within ${ANSWER_MS / 1_000} s.`
    return `no answer from ${url} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}).`
  }
}

interface Answer {
  readonly status?: unknown
  readonly checks?: Readonly<Record<string, unknown>>
}

/** With `node:http`: loading `fetch` takes longer than the question. */
function answerOf(url: string, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, signal }, (response) => {
      textOf(response).then((text) => resolve(parsed(text)), reject)
    })
    request.once('error', reject)
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('latin1')) {
    text += chunk
    if (text.length > MAX_ANSWER_BYTES) return ''
  }
  return text
}

function parsed(text: string): Answer {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
