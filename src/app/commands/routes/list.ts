import type { ListedRoute } from '../../../features/emails/delivery/routes/list-routes.ts'
import { type Command, JSON_FLAG, listOf, OperatorError, tableOf } from '../command.ts'
import { withDatabase } from '../database.ts'
import { isoOf } from '../queue/filter.ts'

export const listRoutesCommand: Command = {
  name: 'routes',
  usage: '[--json]',
  summary: 'List the routes that mail can take, and whether each takes mail',
  options: JSON_FLAG,
  words: 0,
  async run({ config, flags, print }) {
    const { listRoutes } = await import('../../../features/emails/delivery/routes/list-routes.ts')
    if (config.DELIVERY === 'inbox' && !flags.json)
      throw new OperatorError('There are no routes: with POSTWREN_DELIVERY=inbox nothing leaves.')
    await withDatabase(config, async (db) => {
      const routes = await listRoutes(db, config)
      if (flags.json) return print(listOf(routes.map(shownRoute)))
      for (const line of tableOf(routes.map(columnsOf))) print(line)
    })
  },
}

/** With the names of the API. */
export const shownRoute = (route: ListedRoute) => ({
  object: 'route',
  name: route.name,
  kind: route.kind,
  host: route.host,
  state: route.state,
  since: route.since,
  retry_at: route.retryAt,
  last_fault: route.fault && { kind: route.fault.fault, reply: route.fault.reply, at: route.fault.at },
  hold_reason: route.holdReason,
})

const columnsOf = ({ name, kind, host, state, since, fault, holdReason }: ListedRoute) => ({
  NAME: name,
  KIND: kind,
  HOST: host ?? '',
  STATE: state,
  SINCE: since ? isoOf(since) : '',
  NOTE: state === 'held' ? (holdReason ?? '') : fault ? `${isoOf(fault.at)} ${fault.reply}` : '',
})
