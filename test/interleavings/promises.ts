import { sql } from '../../src/kernel/db/sql.ts'
import type { OutsideWorld, SentEmail } from './outside-world.ts'
import type { Sessions } from './sessions.ts'

interface Row {
  readonly id: string
  readonly position: number
  readonly recipient: string
  readonly state: string
  readonly holder: number | null
}

interface Event {
  readonly about: string
  readonly type: string
  readonly to: readonly string[]
}

/** What has to hold when everybody who was dead was taken over, and everything had its time. Throws if it does not. */
export async function checkAtTheEnd(world: OutsideWorld, sessions: Sessions) {
  const ids = [...world.emails.keys()]
  const { rows } = await sessions.query<Row>(sql`
    select email_id as id, position, recipient, state, holder from deliveries where email_id = any (${ids}::uuid[])`)
  const { rows: events } = await sessions.query<Event>(sql`
    select about, type, data -> 'to' as to from outbox
    where about = any (${ids}::uuid[]) and type in ('email.delivered', 'email.bounced')`)
  for (const [index, sent] of [...world.emails.values()].entries()) {
    const own = rows.filter(({ id }) => id === sent.email.id)
    for (const complaint of complaintsOf(sent, own, world)) world.violations.push(`email ${index + 1} ${complaint}`)
    if (!sent.mayBeDeleted)
      for (const row of own)
        if (!isTold(row, events))
          world.violations.push(`email ${index + 1} is ${row.state}, and its events say otherwise`)
  }
  if (world.violations.length > 0) throw new Error(world.violations.join('\n'))
}

function* complaintsOf({ email, ...sent }: SentEmail, rows: readonly Row[], { copies }: OutsideWorld) {
  if (rows.length === 0 && sent.isAcknowledged && !sent.mayBeDeleted) yield 'was acknowledged, and is gone'
  if (rows.length > 0 && rows.length < email.recipients.length) yield 'has lost recipients'
  for (const { state, holder, position } of rows) {
    if (state === 'waiting') yield `is still waiting, ${holder === null ? 'held by nobody' : `held by ${holder}`}`
    if (holder !== null) yield `is ${state} and held by ${holder}`
    if (sent.isCanceled && state !== 'canceled') yield `was canceled, and is ${state}`
    if (state === 'canceled' && !sent.mayBeCanceled) yield 'is canceled, and nobody wanted that'
    const count = copies.filter((copy) => copy.emailId === email.id && copy.position === position).length
    if (state === 'delivered' && count === 0) yield 'is called delivered, and nobody has taken it'
    if (state === 'canceled' && count > 0) yield 'is canceled, and was sent'
  }
}

/** Each recipient is in one event if it was delivered or has bounced, however often somebody tried to say so. */
function isTold({ id, recipient, state }: Row, events: readonly Event[]): boolean {
  const own = events.filter(({ about, to }) => about === id && to.includes(recipient)).map(({ type }) => type)
  const expected = state === 'delivered' || state === 'bounced' ? [`email.${state}`] : []
  return own.join() === expected.join()
}
