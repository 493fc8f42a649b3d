import { insertApiKey } from '../resources/api-keys/queries.ts'
import { newToken } from '../resources/api-keys/token.ts'
import { ensureTeam, findTeam } from '../resources/teams/queries.ts'
import { type Command, OperatorError } from './command.ts'
import { requireDatabase } from './database.ts'
import { FIRST_TEAM } from './first-key.ts'
import { quiet } from './quiet.ts'

export const createTeam: Command = {
  name: 'team create',
  usage: 'NAME',
  summary: 'Make a team: its objects and keys are its own',
  words: 1,
  async run({ config, words: [name = ''], print }) {
    const database = await requireDatabase(config, quiet)
    try {
      const { id, isNew } = await ensureTeam(database.db, name)
      if (!isNew) throw new OperatorError(`There is a team with the name ${name} already.`)
      print(`Team ${name} made, with the id ${id}. A key for it: postwren key create NAME --team ${name}`)
    } finally {
      await database.close()
    }
  },
}

export const createKey: Command = {
  name: 'key create',
  usage: 'NAME [--team T] [--sending]',
  summary: 'Make an API key and print its token, once',
  options: { team: { type: 'string' }, sending: { type: 'boolean' } },
  words: 1,
  async run({ config, words: [name = ''], flags, print }) {
    if ([...name].length > 50) throw new OperatorError('The name of a key has at most 50 characters.')
    const database = await requireDatabase(config, quiet)
    try {
      const teamName = String(flags.team ?? FIRST_TEAM)
      const team = await findTeam(database.db, teamName)
      if (!team) throw new OperatorError(`There is no team ${teamName}. Make it with: postwren team create ${teamName}`)
      const token = newToken()
      await insertApiKey(database.db, team, {
        name,
        permission: flags.sending ? 'sending_access' : 'full_access',
        token,
      })
      print(token)
    } finally {
      await database.close()
    }
  },
}
