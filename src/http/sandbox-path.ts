import type { IncomingMessage } from 'node:http'
import type { Actor } from './actor.ts'

const BELOW = /^\/sandboxes\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(\/[^?].*)$/i

/** Lets somebody act in a sandbox. */
export interface Sandboxes {
  /** The same somebody, in the sandbox: for its own key, and for whoever is of the team that made it. */
  enter(actor: Actor, sandbox: string): Promise<Actor>
}

const entered = new WeakMap<IncomingMessage, string>()

/** Every endpoint is also below the path of each sandbox, `/sandboxes/:id/emails`, and is then called in that sandbox. */
export function leadIntoSandbox(request: IncomingMessage, url: string): string {
  const [, sandbox, rest] = BELOW.exec(url) ?? []
  if (sandbox === undefined) return url
  entered.set(request, sandbox.toLowerCase())
  return rest!
}

/** The sandbox below whose path the request is. */
export const sandboxOf = (request: IncomingMessage) => entered.get(request)
