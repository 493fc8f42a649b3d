import type { Reply } from '../../api.ts'

type Actor = Reply<'logs.get'>['actor']

const GONE = { api_key: 'a deleted key', user: 'somebody who is gone', oauth_token: 'a program' }

/** Who called, by their name if they still have one. */
export const ActorName = ({ actor }: { actor: Actor }) => (
  <span className={actor?.name ? undefined : 'muted'}>{actor && (actor.name ?? GONE[actor.type])}</span>
)
