import { isWriting } from './exchange.ts'

/** A call that is under way at the upstream. */
export interface ActiveCall {
  readonly method: string
  readonly path: string
  isConcurrent: boolean
}

/** Beyond this many at once, each is taken for concurrent with some other. */
const MAX_COMPARED_CALLS = 200

/** Finds calls of one key that run at the same time and may see or undo each other: the upstream has done either of them first. */
export class Overlap {
  readonly #active = new Map<string, Set<ActiveCall>>()

  begin(key: string, method: string, path: string): ActiveCall {
    const call: ActiveCall = { method, path: pathOf(path), isConcurrent: false }
    const others = this.#active.get(key) ?? new Set()
    this.#active.set(key, others)
    if (others.size > MAX_COMPARED_CALLS) call.isConcurrent = true
    else
      for (const other of others)
        if (mayAffect(call, other) || mayAffect(other, call)) {
          call.isConcurrent = true
          other.isConcurrent = true
        }
    others.add(call)
    return call
  }

  end(key: string, call: ActiveCall) {
    const others = this.#active.get(key)
    others?.delete(call)
    if (others?.size === 0) this.#active.delete(key)
  }
}

const pathOf = (path: string) => path.split(/[?#]/, 1)[0]!.replace(/^\/+|\/+$/g, '')

/** Whether one may change what the other sees. Making a new object changes the list that it will be in, and none of the other objects. */
function mayAffect(writing: ActiveCall, other: ActiveCall): boolean {
  if (!isWriting(writing.method)) return false
  const isNewObject = writing.method === 'POST' && !writing.path.includes('/')
  // Two new objects get their order in lists from `mayBeInAnyOrder`.
  if (isNewObject) return !isWriting(other.method) && other.path === writing.path
  return other.path === writing.path || isWithin(other.path, writing.path) || isWithin(writing.path, other.path)
}

const isWithin = (inner: string, outer: string) => inner.startsWith(`${outer}/`)
