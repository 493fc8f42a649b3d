import { OperatorError, oneLine } from '../command.ts'
import { steering } from './queue-command.ts'
import { routeNamesOf } from './route-names.ts'

export const queueMove = steering({
  name: 'move',
  usage: '--route NAME|none',
  summary:
    'Send queued mail by another route, now: of a team, to or from a domain, of a destination, one email. `none`: the rules decide again',
  options: { route: { type: 'string' } },
  isNarrow: true,
  would: 'Would move',
  did: 'Moved',
  read({ route }, config) {
    const names = routeNamesOf(config)
    if (route === undefined) throw new OperatorError(`Missing --route. Routes: ${[...names, 'none'].join(', ')}.`)
    if (route !== 'none' && !names.includes(String(route)))
      throw new OperatorError(
        `There is no route \`${oneLine(String(route))}\`. Routes: ${[...names, 'none'].join(', ')}.`,
      )
    return { route: String(route) }
  },
  async act(db, change, details) {
    const { moveWaiting } = await import('../../../features/emails/delivery/queue/queue-retry.ts')
    const { route } = details as { route: string }
    return moveWaiting(db, { ...change, route: route === 'none' ? null : route })
  },
})
