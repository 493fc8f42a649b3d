import type { Config } from '../../../platform/settings/config.ts'
import { type Command, JSON_FLAG, OperatorError, oneLine } from '../command.ts'
import { withDatabase } from '../database.ts'
import { reasonOf } from '../team-operations.ts'
import { OPERATOR } from '../teams.ts'

// Takes a route out of use: its mail takes the others, or waits. Processes that run notice within a second.

export const holdRouteCommand: Command = {
  name: 'routes hold',
  usage: 'NAME --reason WORDS [--json]',
  summary: 'Take a route out of use: its mail takes another route, or waits',
  options: { reason: { type: 'string' }, ...JSON_FLAG },
  words: 1,
  async run({ config, words: [name = ''], flags, print }) {
    const reason = reasonOf(flags)
    if (!reason) throw new OperatorError('Missing --reason. Example: --reason "The provider has an outage."')
    await requireRoute(config, name)
    const { holdRouteIn } = await import('../../../features/emails/delivery/routes/route-holds.ts')
    await withDatabase(config, async (db) => {
      const isDone = await db.transaction((trx) => holdRouteIn(trx, OPERATOR, { name, reason }))
      if (flags.json) return print(JSON.stringify({ object: 'route', name, state: 'held', changed: isDone }))
      print(
        isDone
          ? `Route ${name} is out of use. Undo with: postwren routes release ${name}`
          : `Route ${name} is out of use already.`,
      )
    })
  },
}

export const releaseRouteCommand: Command = {
  name: 'routes release',
  usage: 'NAME [--json]',
  summary: 'Put a route into use again, or have one that is down tried at once',
  options: JSON_FLAG,
  words: 1,
  async run({ config, words: [name = ''], flags, print }) {
    await requireRoute(config, name)
    const { releaseRouteIn } = await import('../../../features/emails/delivery/routes/route-holds.ts')
    await withDatabase(config, async (db) => {
      const isDone = await db.transaction((trx) => releaseRouteIn(trx, OPERATOR, { name }))
      if (flags.json) return print(JSON.stringify({ object: 'route', name, changed: isDone }))
      print(isDone ? `Route ${name} is in use; it is tried with the next mail.` : `Route ${name} was in use.`)
    })
  },
}

async function requireRoute(config: Config, name: string) {
  const { routeTableOf } = await import('../../../features/emails/delivery/routes/route-table.ts')
  const names = routeTableOf(config).routes.map((route) => route.name)
  if (names.includes(name)) return
  const known = names.length > 0 ? `There are: ${names.join(', ')}` : 'With POSTWREN_DELIVERY=inbox there are none'
  throw new OperatorError(`There is no route \`${oneLine(name)}\`. ${known}.`)
}
