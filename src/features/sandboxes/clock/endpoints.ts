import { endpoint } from '../../definitions.ts'
import { changeClock, getClock } from './actions.ts'
import { ChangeClock, ChangedClock, ClockState } from './schema.ts'

export const clockEndpoints = [
  endpoint({
    id: 'clock.get',
    route: 'GET /clock',
    summary: 'Retrieve the clock of a sandbox',
    reply: ClockState,
    run: ({ services, actor }) => getClock(services, actor),
  }),
  endpoint({
    id: 'clock.update',
    route: 'PATCH /clock',
    summary: 'Advance, set or freeze the clock of a sandbox',
    description: 'Everything that is due on the way happens, in order and at its time, before the answer.',
    audited: false,
    body: ChangeClock,
    reply: ChangedClock,
    run: ({ services, actor, body }) => changeClock(services, actor, body),
  }),
]
