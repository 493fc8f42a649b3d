import { request } from 'node:http'
import { isWriting } from './exchange.ts'

export interface OurRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly token: string
}

export interface OurAnswer {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: Buffer
}

/** Who answers for Postwren. */
export interface OurSide {
  call(wanted: OurRequest): Promise<OurAnswer>
}

const CALL_TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** Encoded bodies were decoded to be read. */
const NOT_PASSED_ON = new Set(['content-encoding'])

/** The service of this build, which listens on a port of this machine. */
export const ourSideAt = (port: number): OurSide => ({
  call: ({ method, path, headers, body, token }) =>
    new Promise((resolve, reject) => {
      const own = Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name))
      const hasBody = body.length > 0 || isWriting(method)
      const call = request(
        {
          ...{ host: '127.0.0.1', port, method, path, signal: AbortSignal.timeout(CALL_TIMEOUT_MS) },
          headers: {
            ...Object.fromEntries(own),
            authorization: `Bearer ${token}`,
            ...(hasBody && { 'content-length': String(body.length) }),
          },
        },
        (answer) => {
          const chunks: Buffer[] = []
          let bytes = 0
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length
            if (bytes > MAX_ANSWER_BYTES) answer.destroy(new Error('the answer is too large'))
            else chunks.push(chunk)
          })
          answer.on('error', reject)
          answer.on('end', () =>
            resolve({
              status: answer.statusCode!,
              contentType: answer.headers['content-type'],
              body: Buffer.concat(chunks),
            }),
          )
        },
      )
      call.on('error', reject)
      call.end(body)
    }),
})
