import { createHmac, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { type Cells, cellOfLink, hostsOf, NO_CELLS } from './cell.ts'

/** What a link stands for. Kept short: it travels in URLs. */
export type LinkPayload = Readonly<Record<string, string>>

/** Makes and reads tokens that only this installation can make: what they carry can be read by anybody and changed by nobody. */
export class LinkSigner {
  readonly #keys: readonly Buffer[]
  readonly #prefix: string
  readonly #otherHosts: ReadonlySet<string>

  /** The first of the keys signs, and what any of them has signed is read. Tokens begin with the name of the cell, where a proxy can read it. */
  constructor(keys: readonly Buffer[], cells: Cells = NO_CELLS) {
    this.#keys = keys
    this.#prefix = cells.own === null ? '' : `${cells.own}~`
    this.#otherHosts = hostsOf(cells)
  }

  /** With a `url`, the token is good at the host of that address alone, and not at those of other teams. */
  sign(purpose: string, payload: LinkPayload, expiresAt: Date | null, url?: string): string {
    const bound = { ...payload, ...(url !== undefined && { h: hostOf(url) }) }
    const content = Buffer.from(JSON.stringify({ ...bound, ...(expiresAt && { exp: expiresAt.getTime() }) })).toString(
      'base64url',
    )
    return `${this.#prefix}${content}.${macOf(this.#keys[0]!, purpose, content)}`
  }

  /** Null when the token is not ours, was made for another purpose, or is too old. */
  read(purpose: string, token: string, now: Date): LinkPayload | null {
    const [content = '', mac = '', ...rest] = withoutCell(token).split('.')
    if (rest.length > 0) return null
    const given = Buffer.from(mac)
    if (!this.#keys.some((key) => isSame(given, Buffer.from(macOf(key, purpose, content))))) return null
    const { exp, ...payload } = JSON.parse(Buffer.from(content, 'base64url').toString())
    return exp !== undefined && exp < now.getTime() ? null : payload
  }

  /** The same, and null at another host than the one that the token was made for. Tokens without a host are good at any. */
  readAt(host: string, purpose: string, token: string, now: Date): LinkPayload | null {
    const payload = this.read(purpose, token, now)
    return payload && this.isFor(payload, host) ? payload : null
  }

  /** Whether a link is good at this host: it is the one that it was made for, or it was made for none, or for that of another cell. */
  isFor({ h }: LinkPayload, host: string): boolean {
    return h === undefined || h === host.toLowerCase() || this.#otherHosts.has(h) || !isPublicName(host)
  }
}

const withoutCell = (token: string) => token.slice(cellOfLink(token) === null ? 0 : token.indexOf('~') + 1)

/** The team that a link is about, as it says itself: nobody has looked at the signature. Each payload has it under one of two names. */
export function claimedTeamOf(token: string): string | null {
  try {
    const { t, team } = JSON.parse(Buffer.from(withoutCell(token).split('.', 1)[0]!, 'base64url').toString())
    const claimed = t ?? team
    return typeof claimed === 'string' ? claimed : null
  } catch {
    return null
  }
}

const macOf = (key: Buffer, purpose: string, content: string) =>
  createHmac('sha256', key).update(`${purpose}\0${content}`).digest('base64url')

const isSame = (given: Buffer, expected: Buffer) => given.length === expected.length && timingSafeEqual(given, expected)

const hostOf = (url: string) => new URL(url).hostname

/** A name that people see. Others come from a proxy that hides it, and from this machine: there is nobody's name to misuse. */
export const isPublicName = (host: string) =>
  host.includes('.') && isIP(host.replace(/^\[|\]$/g, '')) === 0 && !/\.(?:localhost|local|internal)$/i.test(host)
