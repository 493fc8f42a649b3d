import { type Access, FULL_ACCESS, SENDING_ACCESS } from '../../kernel/http/access.ts'
import type { Permissions } from '../../kernel/http/actor.ts'
import { OAuthError } from './error.ts'

/** What a program can ask for, and what it may do with it: no more than the person who lets it in. */
const KINDS = {
  full_access: FULL_ACCESS,
  'emails:send': SENDING_ACCESS,
} satisfies Record<string, Permissions>

export type Scope = keyof typeof KINDS

export const SCOPES = Object.keys(KINDS) as readonly Scope[]

const isScope = (word: string): word is Scope => Object.hasOwn(KINDS, word)

/** Reads scopes with spaces between. Undefined: none was asked for. */
export function readScopes(text: string | undefined): readonly Scope[] | undefined {
  const words = [...new Set((text ?? '').split(' ').filter(Boolean))]
  const unknown = words.find((word) => !isScope(word))
  if (unknown !== undefined)
    throw new OAuthError(
      'invalid_scope',
      `\`${unknown.slice(0, 100)}\` is not a scope. There are ${SCOPES.join(', ')}.`,
    )
  return words.length > 0 ? (words as Scope[]) : undefined
}

/** What was asked for, if it is among what may be had; all of it when nothing was asked for. */
export function narrowScopes(asked: readonly Scope[] | undefined, allowed: readonly Scope[]): readonly Scope[] {
  const beyond = asked?.find((scope) => !allowed.includes(scope))
  if (beyond) throw new OAuthError('invalid_scope', `This client cannot have the scope \`${beyond}\`.`)
  return asked ?? allowed
}

/** What scopes allow, as far as the role of the person does. */
export const permissionsWithin = (scopes: readonly Scope[], role: Permissions): Permissions =>
  new Set<Access>(scopes.flatMap((scope) => [...KINDS[scope]]).filter((access) => role.has(access)))
