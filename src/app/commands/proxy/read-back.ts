import { request as httpRequest } from 'node:http'
import type { Forwarded } from './forward.ts'

/** The upstream counts these calls, too: at most one a second. */
const READ_EVERY_MS = 1_000
const READ_TIMEOUT_MS = 10_000

/**
 * After an email was accepted, asks the upstream what it made of it, with the key of the request that is just over. The question goes through the
 * proxy like one of the application: it is compared with our answer, and the key is nowhere but in the two requests.
 */
export function readBack(proxy: () => { host: string; port: number }): (forwarded: Forwarded) => void {
  let nextAt = 0
  return ({ request, answer, answerBody }) => {
    const isSend = request.method === 'POST' && request.url === '/emails' && answer?.statusCode === 200
    if (!isSend || performance.now() < nextAt) return
    const id = /"id"\s*:\s*"([0-9a-f-]{36})"/i.exec(answerBody.body.toString('utf8', 0, 1_000))?.[1]
    if (!id) return
    nextAt = performance.now() + READ_EVERY_MS
    const { authorization, 'user-agent': userAgent } = request.headers
    const call = httpRequest({
      ...{ ...proxy(), path: `/emails/${id}`, signal: AbortSignal.timeout(READ_TIMEOUT_MS) },
      headers: { authorization, ...(userAgent && { 'user-agent': userAgent }) },
    })
    // What comes of it is in the report.
    call.on('response', (reply) => reply.resume())
    call.on('error', () => {})
    call.end()
  }
}
