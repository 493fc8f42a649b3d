import type { Variable } from './graph.ts'

// What `event.plan`, `contact.first_name` and `wait_events.order.paid.total` stand for in a run.

export type Json = null | string | number | boolean | readonly Json[] | { readonly [key: string]: Json }

/** What an event brings. */
export type Payload = { readonly [key: string]: Json }

export interface ContactValues {
  readonly id: string
  readonly email: string
  readonly first_name: string | null
  readonly last_name: string | null
  readonly unsubscribed: boolean
  readonly created_at: string
  readonly properties: Readonly<Record<string, string | number>>
}

export interface Scope {
  /** The payload of the event that started the run. */
  readonly event: Json
  readonly contact: ContactValues | null
  /** The payload of the last event of each name that the run has waited for. */
  readonly waitEvents: Readonly<Record<string, Json>>
}

const CONTACT_FIELDS: readonly string[] = ['id', 'email', 'first_name', 'last_name', 'unsubscribed', 'created_at']

/** Undefined when nothing is there. */
export function lookUp(scope: Scope, reference: string): unknown {
  const [root, path] = cut(reference, reference.indexOf('.'))
  if (path === '') return undefined
  switch (root) {
    case 'event':
      return within(scope.event, path)
    case 'contact':
      return ofContact(scope.contact, path)
    case 'properties':
      return own(scope.contact?.properties, path)
    case 'wait_events':
      return ofWaitEvents(scope.waitEvents, path)
    default:
      return undefined
  }
}

/** Properties stand below `contact.properties`; older clients leave that out, where no field has the name. */
function ofContact(contact: ContactValues | null, path: string): unknown {
  if (CONTACT_FIELDS.includes(path)) return own(contact, path)
  return own(contact?.properties, path.startsWith('properties.') ? path.slice('properties.'.length) : path)
}

/** Names of events hold dots, as paths do: the longest that is known counts. */
function ofWaitEvents(waitEvents: Scope['waitEvents'], path: string): unknown {
  for (let at = path.lastIndexOf('.'); at > 0; at = path.lastIndexOf('.', at - 1)) {
    const [name, rest] = cut(path, at)
    if (Object.hasOwn(waitEvents, name)) return within(waitEvents[name], rest)
  }
  return undefined
}

function within(value: unknown, path: string): unknown {
  let inner = value
  for (const part of path.split('.')) {
    inner = own(inner, part)
    if (inner === undefined) return undefined
  }
  return inner
}

/** Never of the prototype, nor the length of a list: what a payload does not say is not there. */
function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  if (Array.isArray(value) && name === 'length') return undefined
  return (value as Record<string, unknown>)[name]
}

const cut = (text: string, at: number): [before: string, behind: string] =>
  at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]

/** `{"var": "event.plan"}`, and nothing beside it. */
export const isVariable = (value: unknown): value is Variable =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { var?: unknown }).var === 'string' &&
  Object.keys(value).length === 1

/**
 * The value with all variables in it filled in; undefined where nothing is there. What was filled in is not looked into: a payload
 * that holds `{"var": …}` is what it is. Configs that are kept are three levels deep at most.
 */
export function resolve(value: unknown, scope: Scope): unknown {
  if (isVariable(value)) return lookUp(scope, value.var)
  if (Array.isArray(value)) return value.map((item) => resolve(item, scope))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolve(inner, scope)]))
}

/** The first variable in it that stands for nothing; null when each has a value. */
export function findAbsent(value: unknown, scope: Scope): string | null {
  if (isVariable(value)) return lookUp(scope, value.var) === undefined ? value.var : null
  if (typeof value !== 'object' || value === null) return null
  for (const inner of Object.values(value)) {
    const absent = findAbsent(inner, scope)
    if (absent !== null) return absent
  }
  return null
}
