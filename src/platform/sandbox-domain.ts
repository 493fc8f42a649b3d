import { isSandbox } from './ids.ts'

/** Of all sandboxes. A name that the DNS of the world will never have (RFC 6761). */
const ABOVE = '.sandbox.test'

const NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\.sandbox\.test$)/

/** The domain that a sandbox has from the beginning. */
export const sandboxDomain = (sandbox: string) => `${sandbox}${ABOVE}`

/** The sandbox that alone may have this domain, in lower case. Null: it is nobody's in particular. */
export function sandboxOfDomain(name: string): string | null {
  const sandbox = NAME.exec(name)?.[0]
  return sandbox !== undefined && isSandbox(sandbox) ? sandbox : null
}
