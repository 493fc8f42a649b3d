import { type ListedUser, listUsers, removeUser } from '../../features/people/directory.ts'
import { insertLink, linkAddress } from '../../features/people/links.ts'
import { findFirstTeam } from '../../features/teams/reads.ts'
import { recordAudit } from '../../kernel/audit/record.ts'
import { isAddress } from '../../mail/address.ts'
import { publicUrl } from '../../platform/settings/config.ts'
import { type Command, JSON_FLAG, listOf, OperatorError, oneLine, tableOf } from './command.ts'
import { withDatabase } from './database.ts'
import { OPERATOR, requireTeam } from './teams.ts'

export const linkUser: Command = {
  name: 'user link',
  usage: 'EMAIL [--team T] [--operator] [--first] [--json]',
  summary:
    'Print a sign-in link that works once, within an hour. New members become owners. --first: only if nobody has signed in yet',
  options: { team: { type: 'string' }, operator: { type: 'boolean' }, first: { type: 'boolean' }, ...JSON_FLAG },
  words: 1,
  async run({ config, words: [given = ''], flags, print }) {
    const email = requireAddress(given)
    const link = await withDatabase(config, async (db) => {
      const users = await listUsers(db)
      if (flags.first && users.some((user) => user.last_signed_in_at !== null)) return null
      const known = users.find((user) => user.email.toLowerCase() === email.toLowerCase())
      // Whoever is in a team already signs in as what they are; only the operator can name another one for them.
      const isPlaced = known !== undefined && known.teams.length > 0
      const named = flags.team === undefined ? undefined : await requireTeam(db, flags.team)
      const owned = named ?? (isPlaced ? null : ((await findFirstTeam(db)) ?? null))
      if (!isPlaced && owned === null) throw new OperatorError('No teams yet. Create one: postwren team create NAME')
      const makesOperator = flags.operator === true
      const made = await db.transaction(async (trx) => {
        // Those who find a new owner in their team are to find out how, too.
        for (const audited of owned === null ? known!.teams.map(({ id }) => id) : [owned])
          await recordAudit(trx, {
            ...{ team: audited, actor: OPERATOR, action: 'account.link' },
            details: { email, ...(owned !== null && { role: 'owner' }), ...(makesOperator && { operator: true }) },
          })
        return insertLink(trx, { email, method: 'terminal', ownerOf: owned, makesOperator })
      })
      return { token: made!, team: owned }
    })
    // What starts an installation can ask for the first link each time, and lets nobody in who was not let in before.
    if (link === null) {
      const url = `${publicUrl(config)}/dashboard`
      return print(flags.json ? JSON.stringify({ object: 'sign_in_link', email: null, url, team_id: null }) : url)
    }
    const { token, team } = link
    const url = linkAddress(publicUrl(config), 'sign-in', token)
    if (flags.json) return print(JSON.stringify({ object: 'sign_in_link', email, url, team_id: team }))
    print(url)
    print(`Signs in ${email}. Works once, within an hour.`)
  },
}

export const listUsersCommand: Command = {
  name: 'user list',
  usage: '[--json]',
  summary: 'List users and their teams',
  options: JSON_FLAG,
  words: 0,
  async run({ config, flags, print }) {
    const users = await withDatabase(config, listUsers)
    if (flags.json) return print(listOf(users))
    if (users.length === 0) return print('No users yet. Create the first: postwren user link EMAIL')
    for (const line of tableOf(users.map(columnsOf))) print(line)
  },
}

const columnsOf = ({ email, name, teams, is_operator, passkeys, last_signed_in_at }: ListedUser) => ({
  EMAIL: oneLine(email),
  NAME: oneLine(name),
  TEAMS: oneLine(teams.map((team) => `${team.name} (${team.role})`).join(', ')),
  OPERATOR: is_operator ? 'yes' : '',
  PASSKEYS: String(passkeys),
  'LAST SIGNED IN': last_signed_in_at?.slice(0, 16) ?? 'never',
})

export const removeUserCommand: Command = {
  name: 'user remove',
  usage: 'EMAIL [--force] [--json]',
  summary: 'Delete a user with sessions, passkeys and memberships. With --force also the last owner of a team',
  options: { force: { type: 'boolean' }, ...JSON_FLAG },
  words: 1,
  async run({ config, words: [email = ''], flags, print }) {
    const removed = await withDatabase(config, (db) =>
      db.transaction(async (trx) => {
        const user = await removeUser(trx, email)
        if (!user) throw new OperatorError(`User ${oneLine(email)} not found. See: postwren user list`)
        if (user.left.length > 0 && !flags.force)
          throw new OperatorError(
            `${oneLine(user.email)} is the only owner of ${user.left.map(oneLine).join(', ')}. Make another member an owner first, or use --force.`,
          )
        for (const { id: team } of user.teams)
          await recordAudit(trx, {
            ...{ team, actor: OPERATOR, action: 'members.remove', objectId: user.id },
            details: { email: user.email },
          })
        return user
      }),
    )
    if (flags.json)
      return print(JSON.stringify({ object: 'user', id: removed.id, email: removed.email, deleted: true }))
    print(`User ${oneLine(removed.email)} deleted and signed out everywhere.`)
  },
}

function requireAddress(text: string): string {
  if (!isAddress(text)) throw new OperatorError(`${oneLine(text)} is not an email address.`)
  return text
}
