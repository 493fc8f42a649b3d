import type { ActorOf } from '../http/actor.ts'
import type { TokenVerifier } from '../http/auth.ts'

/** Placeholder until the keys are there; nothing issues tokens yet. */
export class AccessTokens implements TokenVerifier {
  async verify(_token: string): Promise<ActorOf<'token'> | null> {
    return null
  }
}
