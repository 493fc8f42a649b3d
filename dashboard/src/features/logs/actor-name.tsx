import type { Reply } from '../../api.ts'
import { texts } from './texts.ts'

type Actor = Reply<'logs.get'>['actor']

const GONE = {
  api_key: texts.actors.deletedApiKey,
  user: texts.actors.deletedUser,
  oauth_token: texts.actors.connectedApp,
}

/** Who called, by their name if they still have one. */
export const ActorName = ({ actor }: { actor: Actor }) => (
  <span className={actor?.name ? undefined : 'muted'}>{actor && (actor.name ?? GONE[actor.type])}</span>
)
