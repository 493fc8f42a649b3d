import type { CaseRun, Json } from '../suite/case-run.ts'
import type { Request } from '../suite/client.ts'
import { readJson } from '../suite/leftovers.ts'
import { mismatches, type Shape } from '../suite/shape.ts'

// What is no operation of the table: its answers have forms of their own.

export interface Asked {
  /** Its method and path. */
  readonly request: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Json
}

export async function ask(trial: CaseRun, request: Request): Promise<Asked> {
  const { status, headers, text } = await trial.world.options.client.send(request)
  const path = request.path.replace(/\?.*/, '')
  return { request: `${request.method} ${path}`, status, headers, text, body: readJson(text) }
}

/** The status, and the shape of the body. Gives the body back. */
export function expectAnswer(trial: CaseRun, asked: Asked, { status, shape }: { status: number; shape: Shape }): Json {
  const { request, body, text } = asked
  const isRight = asked.status === status
  trial.check(request, { expected: String(status), isTrue: isRight, actual: `${asked.status} ${text.slice(0, 160)}` })
  if (!isRight) return {}
  for (const { path, expected, actual } of mismatches(body, shape))
    trial.differs(request, { expected: path === '' ? expected : `${path}: ${expected}`, actual })
  return body ?? {}
}
