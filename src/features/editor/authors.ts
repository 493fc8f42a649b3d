import { type Actor, loggedActor } from '../../kernel/http/actor.ts'
import type { AUTHOR_TYPES } from './schema.ts'

/** Who writes: the key, the person or the application, and the name that an agent has given itself. */
export interface Writer {
  readonly type: (typeof AUTHOR_TYPES)[number]
  readonly id: string
  readonly name: string
}

/** The actor as an author. Only those with a key, a session or a token may call the editor. */
export function writerOf(actor: Actor): Writer {
  const { kind, id } = loggedActor(actor)
  if (kind === 'automation' || kind === 'smtp' || id === null) throw new Error(`${kind} writes no documents`)
  return { type: kind, id, name: actor.name ?? kind }
}
