import type { ActorDirectory } from '../../kernel/audit/actor-directory.ts'
import { sql } from '../../kernel/db/sql.ts'
import { nameOfKey } from '../api-keys/reads.ts'
import { OAUTH_GRANTS } from '../oauth/reads.ts'
import { emailOfUser, teamsOfUser, USER_EMAILS } from '../people/reads.ts'

export const actorDirectory: ActorDirectory = {
  nameOf(team, { kind, id }) {
    switch (kind) {
      case 'user':
        return emailOfUser(sql`${id}`)
      case 'api_key':
        return nameOfKey(sql`${team}`, sql`${id}`)
      // A program is named with the person who has let it in.
      case 'oauth_token':
        return sql`(select g.client_name || ' for ' || u.email from ${OAUTH_GRANTS} g join ${USER_EMAILS} u on u.id = g.user_id
          where g.team_id = ${team} and g.id = ${id})`
      default:
        return sql`null::text`
    }
  },
  teamsOf: teamsOfUser,
}
