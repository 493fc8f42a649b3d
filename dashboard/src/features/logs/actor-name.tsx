import type { Reply } from '../../api.ts'

type Actor = Reply<'logs.get'>['actor']

const GONE = { api_key: 'Deleted API key', user: 'Deleted user', oauth_token: 'Connected app' }

/** Who called, by their name if they still have one. */
export const ActorName = ({ actor }: { actor: Actor }) => (
  <span className={actor?.name ? undefined : 'muted'}>{actor && (actor.name ?? GONE[actor.type])}</span>
)
