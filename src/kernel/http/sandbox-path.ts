import type { IncomingMessage } from 'node:http'
import type { MaybePromise } from '../../platform/concurrency/maybe-promise.ts'
import type { Actor } from './actor.ts'
import type { RateLimit } from './rate-limit.ts'

const BELOW = /^\/sandboxes\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/+(?=[^/?])/i

/** Lets somebody act in a sandbox. */
export interface Sandboxes {
  /** The same somebody, in the sandbox: for its own key, and for whoever is of the team that made it. */
  enter(actor: Actor, sandbox: string): Promise<Actor>
}

const entered = new WeakMap<IncomingMessage, string>()

/** Every endpoint is also below the path of each sandbox, `/sandboxes/:id/emails`, and is then called in that sandbox. */
export function leadIntoSandbox(request: IncomingMessage, url: string): string {
  const [beginning, sandbox] = BELOW.exec(url) ?? []
  if (beginning === undefined) return url
  entered.set(request, sandbox!.toLowerCase())
  return url.slice(beginning.length - 1)
}

/** The sandbox below whose path the request is. */
export const sandboxOf = (request: IncomingMessage) => entered.get(request)

/** The path of a request, as it is below the sandbox that another request is in. */
export function belowSandboxOf(request: IncomingMessage, path: string): string {
  const sandbox = sandboxOf(request)
  return sandbox === undefined ? path : `/sandboxes/${sandbox}${path}`
}

/** Who acts: in the sandbox below whose path the request is, or at home. Who looks for sandboxes that are not theirs is counted, too. */
export function enterSandboxOf(
  request: IncomingMessage,
  visitor: Actor,
  { sandboxes, rateLimit }: { sandboxes: Sandboxes; rateLimit: RateLimit },
): MaybePromise<Actor> {
  const sandbox = sandboxOf(request)
  if (sandbox === undefined) return visitor
  return sandboxes.enter(visitor, sandbox).catch((refusal: unknown) => {
    rateLimit.take(visitor.team, () => {})
    throw refusal
  })
}
